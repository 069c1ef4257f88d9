#!/usr/bin/env bash
# Sign Galley.app, pack it as a .dmg and have Apple notarise that: package.sh GALLEY.APP OUTPUT.DMG. On a Mac only.
#   GALLEY_SIGN_MACOS      the certificate, as in "Developer ID Application: NAME (TEAM)"; unset: nothing is signed or sent
#   GALLEY_NOTARY_PROFILE  what `xcrun notarytool store-credentials` has called the log-in; unset: signed, but not notarised
set -euo pipefail
app=$1 image=$2
here=$(cd "$(dirname "$0")" && pwd)

if [ -n "${GALLEY_SIGN_MACOS:-}" ]; then
    # From the inside out: a signature covers those of what it holds. Libraries first, then programs, then the whole.
    find "$app/Contents" -type f \( -name '*.dylib' -o -name '*.so' \) -print0 |
        xargs -0 -n 50 codesign --force --timestamp --options runtime --sign "$GALLEY_SIGN_MACOS"
    find "$app/Contents/Frameworks" -type d -name '*.framework' -prune -print0 |
        xargs -0 -n 1 codesign --force --timestamp --options runtime --sign "$GALLEY_SIGN_MACOS"
    codesign --force --timestamp --options runtime --entitlements "$here/entitlements.plist" --sign "$GALLEY_SIGN_MACOS" "$app"
    codesign --verify --deep --strict "$app"
else
    codesign --force --deep --sign - "$app" # what build.py has changed is not as PyInstaller signed it
    echo "Not signed: GALLEY_SIGN_MACOS is not set, so macOS will refuse to open it until its user allows it."
fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
ditto "$app" "$stage/Galley.app"
ln -s /Applications "$stage/Applications"
hdiutil create -volname Galley -srcfolder "$stage" -format ULFO -ov "$image"

if [ -n "${GALLEY_SIGN_MACOS:-}" ]; then
    codesign --force --timestamp --sign "$GALLEY_SIGN_MACOS" "$image"
    if [ -n "${GALLEY_NOTARY_PROFILE:-}" ]; then
        xcrun notarytool submit "$image" --keychain-profile "$GALLEY_NOTARY_PROFILE" --wait
        xcrun stapler staple "$image"
    else
        echo "Not notarised: GALLEY_NOTARY_PROFILE is not set."
    fi
fi
