; The installer for Windows: for one user, without an administrator. installer/windows_packages.py compiles it, and passes
;   PAYLOAD  the frozen folder           VERSION  as people read it, 0.1.0
;   OUTPUT   the installer to write      NUMBERS  the same as four numbers, as Windows wants it
;   ICON     optional: an .ico           SIGN     optional: a command that signs the file %1
; Silent: /S, and /D=FOLDER as the last argument. Exit status: 0 done, 1 cancelled, 2 not done, for example as Galley runs.

Unicode true
Target amd64-unicode
ManifestDPIAware true
ManifestDPIAwareness "PerMonitorV2,System"
ManifestLongPathAware true
ManifestSupportedOS all
RequestExecutionLevel user
SetCompressor /SOLID lzma

!include FileFunc.nsh
!include LogicLib.nsh
!include MUI2.nsh
!include WinVer.nsh

!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Galley"
!define KIND "Galley.Recording"
!define PROGRAM "galley-window.exe"

Name "Galley"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Galley"
InstallDirRegKey HKCU "${UNINSTALL_KEY}" InstallLocation
BrandingText "Galley ${VERSION}"

VIProductVersion "${NUMBERS}"
VIFileVersion "${NUMBERS}"
VIAddVersionKey ProductName "Galley"
VIAddVersionKey ProductVersion "${VERSION}"
VIAddVersionKey FileVersion "${VERSION}"
VIAddVersionKey FileDescription "Galley Setup"
VIAddVersionKey CompanyName "The Galley authors"
VIAddVersionKey LegalCopyright "The Galley authors"

!ifdef ICON
    !define MUI_ICON "${ICON}"
    !define MUI_UNICON "${ICON}"
!endif
!ifdef SIGN
    !finalize '${SIGN}'
    !uninstfinalize '${SIGN}'
!endif

!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\${PROGRAM}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE English
!insertmacro MUI_LANGUAGE German

LangString TooOld ${LANG_ENGLISH} "Galley needs Windows 10 or newer."
LangString TooOld ${LANG_GERMAN} "Galley braucht Windows 10 oder neuer."
LangString Running ${LANG_ENGLISH} "Galley is running. Finish what it is recording and close its window, then choose Retry."
LangString Running ${LANG_GERMAN} "Galley läuft noch. Beenden Sie die Aufnahme, schließen Sie das Fenster und wählen Sie dann Wiederholen."
LangString Occupied ${LANG_ENGLISH} "This folder holds other files. Choose an empty folder, or a new one."
LangString Occupied ${LANG_GERMAN} "In diesem Ordner liegen andere Dateien. Wählen Sie einen leeren oder neuen Ordner."
LangString Recordings ${LANG_ENGLISH} "Delete your recordings and transcripts, too?$\n$\n$LOCALAPPDATA\Galley$\n$\nThis cannot be undone."
LangString Recordings ${LANG_GERMAN} "Auch Ihre Aufnahmen und Transkripte löschen?$\n$\n$LOCALAPPDATA\Galley$\n$\nDas lässt sich nicht rückgängig machen."
LangString Transcribe ${LANG_ENGLISH} "Transcribe with Galley"
LangString Transcribe ${LANG_GERMAN} "Mit Galley transkribieren"
LangString Kind ${LANG_ENGLISH} "Recording"
LangString Kind ${LANG_GERMAN} "Aufnahme"

; Calls the macro MACRO for every kind of file that Galley opens: the extensions of desktop_app/app/media.py.
!macro EachExtension MACRO
    !insertmacro ${MACRO} .3gp
    !insertmacro ${MACRO} .aac
    !insertmacro ${MACRO} .ac3
    !insertmacro ${MACRO} .aif
    !insertmacro ${MACRO} .aiff
    !insertmacro ${MACRO} .amr
    !insertmacro ${MACRO} .au
    !insertmacro ${MACRO} .avi
    !insertmacro ${MACRO} .caf
    !insertmacro ${MACRO} .flac
    !insertmacro ${MACRO} .flv
    !insertmacro ${MACRO} .m2ts
    !insertmacro ${MACRO} .m4a
    !insertmacro ${MACRO} .m4b
    !insertmacro ${MACRO} .m4v
    !insertmacro ${MACRO} .mka
    !insertmacro ${MACRO} .mkv
    !insertmacro ${MACRO} .mov
    !insertmacro ${MACRO} .mp2
    !insertmacro ${MACRO} .mp3
    !insertmacro ${MACRO} .mp4
    !insertmacro ${MACRO} .mpeg
    !insertmacro ${MACRO} .mpg
    !insertmacro ${MACRO} .mts
    !insertmacro ${MACRO} .oga
    !insertmacro ${MACRO} .ogg
    !insertmacro ${MACRO} .ogv
    !insertmacro ${MACRO} .opus
    !insertmacro ${MACRO} .ts
    !insertmacro ${MACRO} .wav
    !insertmacro ${MACRO} .webm
    !insertmacro ${MACRO} .wma
    !insertmacro ${MACRO} .wmv
!macroend

; Galley is offered under "Open with"; what opens a double click stays as the user has chosen it.
!macro Associate EXTENSION
    WriteRegStr HKCU "Software\Classes\${EXTENSION}\OpenWithProgids" "${KIND}" ""
    WriteRegStr HKCU "Software\Classes\Applications\${PROGRAM}\SupportedTypes" "${EXTENSION}" ""
!macroend
!macro Dissociate EXTENSION
    DeleteRegValue HKCU "Software\Classes\${EXTENSION}\OpenWithProgids" "${KIND}"
    DeleteRegKey /ifempty HKCU "Software\Classes\${EXTENSION}\OpenWithProgids"
    DeleteRegKey /ifempty HKCU "Software\Classes\${EXTENSION}"
!macroend
!macro TellExplorer
    System::Call "shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)"
!macroend

; Asks the window to close, which saves everything and asks its user where something is not finished, and waits until no
; program runs any more: one that does cannot be opened for writing. Nothing is ended by force, as a recording would break
; off; a silent installer gives up after half a minute.
!macro CloseGalley UN
Function ${UN}IsRunning
    StrCpy $0 0
    ${If} ${FileExists} "$INSTDIR\galley.exe"
        ClearErrors
        FileOpen $1 "$INSTDIR\galley.exe" a
        ${If} ${Errors}
            StrCpy $0 1
        ${Else}
            FileClose $1
        ${EndIf}
    ${EndIf}
    ${If} ${FileExists} "$INSTDIR\${PROGRAM}"
        ClearErrors
        FileOpen $1 "$INSTDIR\${PROGRAM}" a
        ${If} ${Errors}
            StrCpy $0 1
        ${Else}
            FileClose $1
        ${EndIf}
    ${EndIf}
    ClearErrors
FunctionEnd
Function ${UN}CloseGalley
    again:
    Call ${UN}IsRunning
    ${If} $0 = 0
        Return
    ${EndIf}
    nsExec::Exec 'taskkill /IM "${PROGRAM}"'
    Pop $1
    nsExec::Exec 'taskkill /IM "galley.exe"'
    Pop $1
    StrCpy $2 0
    ${DoWhile} $2 < 60
        Sleep 500
        IntOp $2 $2 + 1
        Call ${UN}IsRunning
        ${If} $0 = 0
            Return
        ${EndIf}
    ${Loop}
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(Running)" /SD IDCANCEL IDRETRY again
    SetErrorLevel 2
    Abort "$(Running)"
FunctionEnd
!macroend
!insertmacro CloseGalley ""
!insertmacro CloseGalley "un."

; Only what an installer has put there, which the name of the uninstaller tells: other programs have an _internal, too. The
; folder itself goes only where it is empty then.
!macro RemoveProgram
    RMDir /r "$INSTDIR\_internal"
    Delete "$INSTDIR\galley.exe"
    Delete "$INSTDIR\${PROGRAM}"
!macroend

Function .onInit
    ${IfNot} ${AtLeastWin10}
        MessageBox MB_OK|MB_ICONSTOP "$(TooOld)" /SD IDOK
        SetErrorLevel 2
        Quit
    ${EndIf}
FunctionEnd

Section
    ${IfNot} ${FileExists} "$INSTDIR\uninstall-galley.exe"
    ${AndIf} ${FileExists} "$INSTDIR\*.*"
        ${DirState} "$INSTDIR" $0
        ${If} $0 = 1
            MessageBox MB_OK|MB_ICONSTOP "$(Occupied)" /SD IDOK
            SetErrorLevel 2
            Abort "$(Occupied)"
        ${EndIf}
    ${EndIf}
    Call CloseGalley
    ${If} ${FileExists} "$INSTDIR\uninstall-galley.exe"
        !insertmacro RemoveProgram
    ${EndIf}
    SetOutPath "$INSTDIR"
    WriteUninstaller "$INSTDIR\uninstall-galley.exe" ; first, so that what is broken off can be removed and installed over
    File /r "${PAYLOAD}/*"

    CreateShortcut "$SMPROGRAMS\Galley.lnk" "$INSTDIR\${PROGRAM}"
    WriteRegStr HKCU "Software\Classes\${KIND}" "" "$(Kind)"
    WriteRegStr HKCU "Software\Classes\${KIND}\DefaultIcon" "" "$INSTDIR\${PROGRAM},0"
    WriteRegStr HKCU "Software\Classes\${KIND}\shell\open" "" "$(Transcribe)"
    WriteRegStr HKCU "Software\Classes\${KIND}\shell\open\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
    WriteRegStr HKCU "Software\Classes\Applications\${PROGRAM}" FriendlyAppName "Galley"
    WriteRegStr HKCU "Software\Classes\Applications\${PROGRAM}\shell\open\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
    !insertmacro EachExtension Associate
    !insertmacro TellExplorer

    ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" EstimatedSize $0
    WriteRegStr HKCU "${UNINSTALL_KEY}" DisplayName "Galley"
    WriteRegStr HKCU "${UNINSTALL_KEY}" DisplayVersion "${VERSION}"
    WriteRegStr HKCU "${UNINSTALL_KEY}" DisplayIcon "$INSTDIR\${PROGRAM},0"
    WriteRegStr HKCU "${UNINSTALL_KEY}" Publisher "The Galley authors"
    WriteRegStr HKCU "${UNINSTALL_KEY}" InstallLocation "$INSTDIR"
    WriteRegStr HKCU "${UNINSTALL_KEY}" UninstallString '"$INSTDIR\uninstall-galley.exe"'
    WriteRegStr HKCU "${UNINSTALL_KEY}" QuietUninstallString '"$INSTDIR\uninstall-galley.exe" /S'
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" NoModify 1
    WriteRegDWORD HKCU "${UNINSTALL_KEY}" NoRepair 1
SectionEnd

Section Uninstall
    Call un.CloseGalley
    SetOutPath "$TEMP"
    !insertmacro RemoveProgram
    Delete "$INSTDIR\uninstall-galley.exe"
    RMDir "$INSTDIR"
    Delete "$SMPROGRAMS\Galley.lnk"
    DeleteRegKey HKCU "Software\Classes\${KIND}"
    DeleteRegKey HKCU "Software\Classes\Applications\${PROGRAM}"
    !insertmacro EachExtension Dissociate
    !insertmacro TellExplorer
    DeleteRegKey HKCU "${UNINSTALL_KEY}"
    ${If} ${FileExists} "$LOCALAPPDATA\Galley\*.*"
        MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "$(Recordings)" /SD IDNO IDNO keep
        RMDir /r "$LOCALAPPDATA\Galley"
        keep:
    ${EndIf}
SectionEnd
