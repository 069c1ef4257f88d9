"""The sentences of all problems, here alone: the reason, and the remedy where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop_app.app.presentation.wording import missing
from desktop_app.problems import Problem
from desktop_app.texts import N_, _

if TYPE_CHECKING:
    from desktop_app.audio.recording import Recorded

_COPY_AGAIN = N_("Copy or download it again, or choose another file.")
_CONVERT = N_("Convert it to WAV, FLAC or MP3 with another program.")
_FOLDER_OF_RECORDINGS = N_("Choose a folder with recordings of speech.")
_ANOTHER_INPUT = N_("Choose another input.")
_NO_SYSTEM_AUDIO = N_("No input records system audio.")
_OUTPUT = N_("Connect loudspeakers or headphones, or choose them in the system's sound settings.")
_MAKE_ROOM = N_("Free some space, then try again.")
_DATA_FOLDER = N_("Check the permissions of Galley's data folder, and that its disk can be written and has space.")
_PERMISSIONS = N_("Check its permissions.")
_DOWNLOAD_AGAIN = N_("Download the model again.")
_ANOTHER_MODEL = N_("Choose another model.")
_WHISPER = N_("Choose a Whisper model.")
_WHISPER_FOLDER = N_("Choose a Whisper folder in the Hugging Face layout.")
_OWN_TOKENIZER = N_("Use tokenizer and weights of the same model.")
_CONVERT_MODEL = N_("Convert the model again with galley models convert.")
_IN_SAFETENSORS = N_("Choose the model in safetensors.")
_ANOTHER_DRAFT = N_("Choose another draft, or none.")
_ANOTHER_DEVICE = N_("Choose another device, such as cpu.")
_ONE_OF_LANGUAGES = N_("Choose one of: {languages}.")
_ONE_OF_PRECISIONS = N_("Choose one of: {precisions}.")
_ANOTHER_MIRROR = N_("Choose another mirror.")
_ANOTHER_INDEX = N_("Choose another package index.")
_LATER = N_("Try again later: the download resumes where it stopped.")
_PROXY = N_("Check HTTPS_PROXY and NO_PROXY.")
_MIRROR_ADDRESS = N_("Check the address of the mirror, and whether this network requires you to log in first.")
_DETAILS = N_("The details are in {log}.")

_SENTENCES: dict[str, tuple[str, str]] = {
    # Audio and video files, and folders of them.
    "file.missing": (N_("There is no such file."), N_("Check the name.")),
    "file.moved": (
        N_("The audio file {name} is no longer in its folder."),
        N_("Locate it, or move it back there."),
    ),
    "file.folder": (N_("This is a folder."), N_("Choose the files in it.")),
    "file.not_regular": (N_("This is not a regular file."), N_("Choose an audio or video file.")),
    "file.empty": (N_("The file is empty."), _COPY_AGAIN),
    "file.forbidden": (N_("You are not allowed to read this file."), N_("Change its permissions, or make a copy.")),
    "file.not_opened": (N_("The file cannot be opened ({error})."), N_("Check its name and the disk.")),
    "file.not_read": (N_("The file cannot be read ({error})."), _CONVERT),
    "file.list": (N_("The file only refers to other files."), N_("Choose those files instead.")),
    "file.not_media": (N_("This is not an audio or video file, or it is damaged."), _COPY_AGAIN),
    "file.no_sound": (N_("The file contains no sound."), N_("Choose a file with sound.")),
    "file.damaged": (N_("The sound in this file cannot be decoded."), _COPY_AGAIN),
    "file.cut_short": (N_("The file is damaged or cut short: only {read} of {length} could be read."), ""),
    "file.parts_missing": (N_("The file is damaged: parts of it could not be read and are missing here."), ""),
    "file.format": (N_("FFmpeg does not know the format of the sound in this file."), _CONVERT),
    "file.sample_rate": (N_("The file gives an impossible sample rate ({rate} Hz)."), _COPY_AGAIN),
    "file.channels": (N_("The sound in this file has {channels} channels, which cannot be mixed."), _CONVERT),
    "file.bad_samples": (
        N_("The file is damaged: samples that are not numbers, or impossibly loud, were replaced by silence."),
        "",
    ),
    "file.gap": (N_("The times in this file jump ahead by {length}. The gap was skipped."), ""),
    "file.crashed": (N_("FFmpeg ended unexpectedly while decoding this file, which may be damaged."), _COPY_AGAIN),
    "file.stuck": (N_("FFmpeg stopped making progress on this file for {seconds} s."), _COPY_AGAIN),
    "file.memory": (N_("Decoding this file takes more memory than any recording needs."), _COPY_AGAIN),
    "file.no_decoder": (
        N_("The process that decodes files cannot be started ({error})."),
        N_("Close other programs, then try again."),
    ),
    "file.input": (N_("Standard input cannot be read ({error})."), N_("Name a file instead.")),
    "file.endless": (N_("More than {size} GB were piped in, which no recording has."), N_("Name a file instead.")),
    "file.no_folder": (N_("There is no folder {folder}."), _FOLDER_OF_RECORDINGS),
    "file.no_recordings": (N_("{folder} contains no recording that can be read."), _FOLDER_OF_RECORDINGS),
    "file.no_speech": (N_("{model} found no speech in these recordings."), N_("Choose other recordings.")),
    "file.no_index": (
        N_("{folder} has no index.json that can be read."),
        N_("Choose the folder that contains the folder “speakers”."),
    ),
    "file.no_words": (N_("No speech was found."), N_("The text stays as it is.")),
    "file.no_noise": (N_("{folder} contains no recordings without voices."), N_("Choose a folder of sounds.")),
    "file.no_references": (
        N_("{folder} contains no recording with a reference text."),
        N_("List them in {index}, or in {texts} as LibriSpeech does."),
    ),
    "file.bad_index": (
        N_("{file} is not a list of recordings."),
        N_("Write a list of objects with “file” and “text”."),
    ),
    "file.not_text": (N_("{file} cannot be read as text."), N_("Save it as UTF-8.")),
    "file.no_speakers": (
        N_("{folder} contains no clips of known speakers."),
        N_("Name the “speakers” of each clip in index.json."),
    ),
    "file.none_found": (
        N_("No audio or video was found."),
        N_("Choose a recording, or a folder with recordings."),
    ),
    "file.watched": (
        N_("The watched folder {folder} cannot be read. {cause}"),
        N_("Choose another one in the settings."),
    ),
    "file.no_media": (
        N_("{names}: no audio or video."),
        N_("Choose recordings; texts, pictures and documents cannot be transcribed."),
    ),
    "file.folder_gone": (N_("The folder {folder} no longer exists."), N_("The recording may have been moved.")),
    "file.no_app": (N_("No app on this computer opens {name}."), N_("Show it in its folder instead.")),
    # Microphones and other inputs.
    "microphone.none": (N_("No microphone is connected."), N_("Connect one, or switch it on.")),
    "microphone.not_connected": (N_("{name} is not connected."), N_("Connect it, or choose another input.")),
    "microphone.unknown": (N_("There is no input called {name}."), N_("Run galley devices to list the inputs.")),
    "microphone.ambiguous": (
        N_("Several inputs match the name {name}."),
        N_("Run galley devices to see their full names."),
    ),
    "microphone.no_portaudio": (
        N_("PortAudio is not installed."),
        N_("Install it; on Debian and Ubuntu the package is libportaudio2."),
    ),
    "microphone.portaudio": (
        N_("PortAudio does not start ({error})."),
        N_("Restart the system's sound service."),
    ),
    "microphone.sample_rate": (
        N_("{name} supports none of the usual sample rates."),
        N_("Set it to 48000 Hz in the system's sound settings."),
    ),
    "microphone.channels": (N_("The channels of {name} cannot be recorded."), _ANOTHER_INPUT),
    "microphone.forbidden": (
        N_("Galley is not allowed to use {name}."),
        N_("Allow it in the system's privacy settings for microphones."),
    ),
    "microphone.busy": (
        N_("{name} is used by another program, or was just disconnected."),
        N_("Close that program, or choose another input."),
    ),
    "microphone.not_opened": (N_("{name} cannot be opened ({error})."), _ANOTHER_INPUT),
    "microphone.gone": (
        N_("{name} was disconnected."),
        N_("Connect it again or choose another input; the recording then continues."),
    ),
    "microphone.mute": (
        N_("{name} sends nothing but silence."),
        N_("Unmute it, or allow Galley to use it in the system's privacy settings."),
    ),
    "microphone.nothing_heard": (N_("No sound arrived, so nothing was recorded."), ""),
    "microphone.system_audio_macos": (
        N_("Galley does not record system audio on macOS."),
        N_("Install a virtual sound device, such as BlackHole, and choose it as the input."),
    ),
    "microphone.system_audio_windows": (
        _NO_SYSTEM_AUDIO,
        N_("Switch on Stereo Mix in the sound settings of Windows."),
    ),
    "microphone.system_audio_linux": (
        _NO_SYSTEM_AUDIO,
        N_("Use PulseAudio or PipeWire, with pulseaudio-utils and libasound2-plugins."),
    ),
    # What a reader should know of a recording that was made.
    "microphone.ended_early": (
        N_("The recording ended early. {cause} Everything that was recorded before is kept."),
        "",
    ),
    "microphone.gaps": (
        N_("No audio arrived for {seconds} s ({places}); the recording is silent there."),
        "",
    ),
    # Loudspeakers and headphones.
    "output.none": (N_("There is no device to play sound on."), _OUTPUT),
    "output.gone": (N_("The device that plays sound was disconnected."), _OUTPUT),
    "output.failed": (N_("The device that plays sound failed ({error})."), _OUTPUT),
    # The disk.
    "disk.full": (N_("The disk is full."), _MAKE_ROOM),
    "disk.low": (
        N_("The disk has room for about {minutes} min more."),
        N_("Free some space; the recording continues."),
    ),
    "disk.no_room": (
        N_("There is not enough space on the disk: {needed} GB are needed, {free} GB are free."),
        N_("Free some space where {folder} is."),
    ),
    "disk.exists": (N_("{path} already exists."), N_("Choose another name.")),
    "disk.forbidden": (N_("{path} cannot be written."), N_("Choose another folder.")),
    "disk.failed": (N_("{path} cannot be used ({error})."), N_("Check the disk and the permissions, then try again.")),
    "disk.data_folder": (
        N_("Galley's data folder {path} cannot be used ({error})."),
        N_("Check the permissions, or set GALLEY_HOME to another folder."),
    ),
    "disk.not_saved": (
        N_("{name} was not saved ({error})."),
        N_("Choose another folder or free some space, then save again."),
    ),
    "export.ended": (
        N_("The file was not made: the process that makes it ended unexpectedly."),
        N_("Close other programs, then try again."),
    ),
    "disk.full_at": (N_("The disk is full where {folder} is."), _MAKE_ROOM),
    "disk.cache": (
        N_("The quantised weights cannot be saved in {folder} ({error})."),
        N_("Free some space there and allow Galley to write, or choose f32."),
    ),
    # The library.
    "library.read_only": (N_("The library is read-only."), _DATA_FOLDER),
    "library.not_opened": (N_("The library cannot be opened."), _DATA_FOLDER),
    "library.locked": (N_("Another program is using the library."), N_("Close that program, then try again.")),
    "library.damaged": (
        N_("The library is damaged."),
        N_("Close every Galley and start it again: it keeps the damaged file and recovers what can be read."),
    ),
    "library.disk": (
        N_("The disk of the library cannot be read or written."),
        N_("Check that it works and has space."),
    ),
    "library.failed": (N_("The library failed ({error})."), N_("Start Galley again.")),
    "library.newer": (N_("The library was written by a newer version of Galley."), N_("Install that version again.")),
    "library.older": (N_("The library is of an older Galley."), N_("Open the window once to bring it up to date.")),
    "library.unusable": (N_("Transcripts cannot be saved. {cause}"), ""),
    "library.removed": (N_("This recording is no longer in the library."), N_("Add the file again.")),
    "library.no_version": (N_("This version is no longer in the library."), ""),
    "library.set_aside": (N_("The library was damaged. It was kept as {file}, and a new one was started."), ""),
    "library.other_version": (
        N_("The library is of another version of Galley. It was kept as {file}, and a new one was started."),
        N_("Open it with the version that wrote it."),
    ),
    "library.salvaged": (
        N_(
            "The library was damaged and kept as {file}; its recordings were moved to a new one (recovered: {saved}, of"
            " them incomplete: {incomplete}; lost: {lost})."
        ),
        "",
    ),
    "library.incomplete": (N_("Parts of this transcript were lost when the library was damaged."), ""),
    "library.row": (
        N_("This recording is damaged in the library. What can be read of it is shown, and stays as it is."),
        N_("Add the file again to transcribe it anew."),
    ),
    "library.problem": (N_("What went wrong here can no longer be read."), ""),
    # Models: which there are.
    "model.unknown": (N_("There is no model {name}."), N_("Choose a folder, or one of: {names}.")),
    "model.not_installed": (N_("{name} is not installed."), N_("Installed models: {names}.")),
    "model.not_in_catalogue": (N_("The catalogue has no {name}."), N_("Use OWNER/NAME, or one of: {names}.")),
    "model.no_network": (N_("The speaker network {name} is not installed."), N_("Download {name}.")),
    "model.built_in": (
        N_("{name} comes with Galley and stays as it is."),
        N_("Choose another model, or give yours another name."),
    ),
    "model.installed": (N_("{name} is already installed."), N_("Remove it first to replace it.")),
    "model.bad_name": (
        N_("{name} cannot be the name of a model."),
        N_("Use only letters, digits, and the characters + - . and _."),
    ),
    "model.busy": (N_("Another Galley is working on {name}."), N_("Wait until it has finished.")),
    # Models: their folders and files.
    "model.no_folder": (N_("There is no such model folder."), N_("Check its name.")),
    "model.is_file": (
        N_("{name} is a file, not a model folder."),
        N_("Choose the folder that contains config.json."),
    ),
    "model.incomplete": (N_("The model has no {file}."), _WHISPER_FOLDER),
    "model.not_read": (N_("{file} cannot be read ({error})."), _PERMISSIONS),
    "model.damaged": (N_("{file} is damaged or incomplete."), _DOWNLOAD_AGAIN),
    "model.changed": (N_("{file} has changed since it was installed."), N_("Remove the model, then install it again.")),
    "model.not_finite": (
        N_("The tensor {name} contains values that are not numbers."),
        N_("Remove the model, then install it again."),
    ),
    "model.link": (
        N_("{file} is a link to a file outside the model's folder."),
        N_("Put the file itself into the folder."),
    ),
    "model.not_a_file": (N_("{file} is not a regular file."), _DOWNLOAD_AGAIN),
    "model.file_too_large": (
        N_("{file} takes {size} MB. In a Whisper model it takes at most {most} MB."),
        _ANOTHER_MODEL,
    ),
    "model.pickle": (
        N_("The weights are a pickle ({file}), which could run code."),
        N_("Choose a model with model.safetensors."),
    ),
    "model.lfs_pointer": (
        N_("{file} is only a Git LFS pointer to the weights."),
        N_("Run git lfs pull in its folder, or download the file."),
    ),
    "model.tensor_missing": (N_("The model has no tensor {name}."), _DOWNLOAD_AGAIN),
    "model.tensor_shape": (
        N_("The tensor {name} has the shape {found}, but config.json implies {wanted}."),
        _DOWNLOAD_AGAIN,
    ),
    "model.tensor_type": (
        N_("The tensor {name} contains {kind} values."),
        N_("Choose a model in half or full precision, not a quantised one."),
    ),
    "model.config": (N_("The file config.json is not valid: {key}."), _DOWNLOAD_AGAIN),
    "model.not_whisper": (N_("This is not a Whisper model ({found})."), _WHISPER),
    "model.window": (
        N_("The model uses windows of {seconds} s; Whisper's are {wanted} s long."),
        _ANOTHER_MODEL,
    ),
    "model.tokenizer": (N_("The tokenizer is damaged or of an unsupported kind."), _DOWNLOAD_AGAIN),
    "model.no_token": (N_("The tokenizer has no token {token}."), _WHISPER_FOLDER),
    "model.other_tokenizer": (N_("The tokenizer does not belong to this model."), _OWN_TOKENIZER),
    "model.no_timestamps": (
        N_("The model has no timestamps."),
        N_("Choose a model that was trained with timestamps."),
    ),
    "model.graph": (N_("Galley cannot run the OpenVINO graph {file} ({detail})."), _CONVERT_MODEL),
    "model.graphs_incomplete": (N_("The model has OpenVINO graphs but no {file}."), N_("Copy all four files.")),
    # Models: what they cannot do.
    "model.language": (N_("{model} does not know the language {language}."), N_("Choose another language, or auto.")),
    "model.language_of": (N_("{model} does not know the language {language}."), _ONE_OF_LANGUAGES),
    "model.no_translation": (N_("{model} cannot translate."), N_("Choose a multilingual Whisper model.")),
    "model.no_word_times": (
        N_("The OpenVINO graphs of this model give no word timestamps."),
        N_("Turn word timestamps off, or choose the model in safetensors."),
    ),
    "model.is_openvino": (N_("{model} consists of OpenVINO graphs."), _IN_SAFETENSORS),
    "model.openvino_precision": (
        N_("{model} consists of OpenVINO graphs, which cannot be converted to {precision}."),
        N_("Choose the precision auto, or the model in safetensors."),
    ),
    "model.openvino_on_torch": (N_("PyTorch cannot run OpenVINO graphs."), _ANOTHER_DEVICE),
    "model.npu_shapes": (
        N_("The NPU requires fixed shapes, which the graphs of {model} do not have."),
        N_("Choose another device, or the model in safetensors."),
    ),
    # Drafts.
    "model.draft_window": (N_("{draft} cannot draft for {target}: its windows have another length."), _ANOTHER_DRAFT),
    "model.draft_timestamps": (N_("{draft} cannot draft for {target}: it has no timestamps."), _ANOTHER_DRAFT),
    "model.draft_language": (
        N_("{draft} cannot draft for {target}: it does not know the language {language}."),
        _ANOTHER_DRAFT,
    ),
    "model.draft_translation": (N_("{draft} cannot draft for {target}: it cannot translate."), _ANOTHER_DRAFT),
    "model.draft_tokenizer": (N_("{draft} cannot draft for {target}: the tokenizers do not match."), _ANOTHER_DRAFT),
    "model.draft_unusable": (N_("{draft} cannot draft for {target}. {cause}"), _ANOTHER_DRAFT),
    "model.draft_trained_for": (
        N_("The draft was trained for another model ({target})."),
        N_("Choose that model as the target."),
    ),
    "model.own_draft": (N_("The draft in this model's folder cannot be used. {cause}"), ""),
    # What a reader of the transcript should know about its models.
    "model.notice": (N_("{text}"), ""),
    "model.no_head": (
        N_("{target} has no draft with a CTC head, so it cannot draft by {way}."),
        N_("Use --draft auto, or train a draft on your own recordings."),
    ),
    "model.other_draft": (N_("{cause} {draft} is used as the draft instead."), ""),
    "model.without_draft": (N_("{cause} {target} transcribes without a draft."), ""),
    "model.graphs_without_draft": (
        N_("No draft is used: the OpenVINO graphs of {target} copy their KV cache after every rejected token."),
        N_("Choose {draft} as the draft to use it anyway."),
    ),
    "model.live_slow": (
        N_("Live text is about {seconds} s behind."),
        N_("A smaller model would keep up."),
    ),
    "model.live_smaller": (
        N_("{model} transcribes live: with {chosen}, live text would be about {seconds} s behind."),
        N_("{chosen} is used for the final text."),
    ),
    "model.continued": (N_("{model} transcribed the first {time}."), ""),
    "model.no_speakers": (N_("The speakers could not be identified. {cause}"), ""),
    # Devices.
    "model.devices": (
        N_("{devices} is not a valid choice of devices."),
        N_("Use one device, or encoder=DEVICE,target=DEVICE,draft=DEVICE."),
    ),
    "model.no_device": (N_("This computer has no device {device}."), N_("Choose one of: {devices}.")),
    "model.no_cuda": (N_("PyTorch {version} is built without CUDA."), _ANOTHER_DEVICE),
    "model.no_cuda_device": (N_("PyTorch {version} finds no CUDA device."), _ANOTHER_DEVICE),
    "model.no_accelerator": (N_("PyTorch {version} finds no device {device}."), _ANOTHER_DEVICE),
    "model.no_torch": (
        N_("PyTorch is not installed."),
        N_("In a checkout, install it by pip install --editable '.[torch]'; otherwise choose another device."),
    ),
    "model.torch_broken": (
        N_("PyTorch cannot be loaded ({error})."),
        N_("In a checkout, repeat pip install --editable '.[torch]'; otherwise choose another device."),
    ),
    "model.batch_device": (
        N_("Batches run on PyTorch only, the draft model too."),
        N_("Use --device cuda, or remove --batch."),
    ),
    "model.batch_condition": (
        N_("The parts of a batch are transcribed at the same time, so none of them can follow the text before it."),
        N_("Use either --condition or --batch, not both."),
    ),
    "model.precision": (N_("There is no precision {precision} on this device."), _ONE_OF_PRECISIONS),
    "model.device_failed": (N_("{device} stopped computing ({error})."), _ANOTHER_DEVICE),
    "model.device_refused": (N_("{device} cannot run this model ({error})."), N_("Choose another device or model.")),
    "model.device_memory": (
        N_("{device} has too little memory for this model."),
        N_("Choose a smaller model, or the precision f16."),
    ),
    # Converting and training.
    "model.no_converter": (
        N_("Converting requires {packages}."),
        N_("Install them in a separate environment of a checkout: pip install torch==2.13.0 --editable '.[convert]'."),
    ),
    "model.not_converted": (N_("The package optimum-intel cannot convert the model ({error})."), _ANOTHER_MODEL),
    "model.layers": (
        N_("{model} has {found} decoder layers, fewer than {wanted}."),
        N_("Use a smaller number for --layers."),
    ),
    "model.training_memory": (
        N_("There is not enough memory to train this draft."),
        N_("Close other programs, then try again."),
    ),
    "model.training": (N_("The training failed ({error})."), N_("Try again.")),
    # Downloads.
    "download.offline": (N_("Downloads are switched off (HF_HUB_OFFLINE)."), N_("Remove that variable.")),
    "download.variable": (N_("{name} is {value}, not a whole number."), N_("Change or remove that variable.")),
    "download.bad_mirror": (
        N_("{address} is not the address of a mirror."),
        N_("Begin it with https://, then the name of the server."),
    ),
    "download.bad_name": (N_("{repository} is not the name of a model."), N_("Run galley models list to see some.")),
    "download.not_found": (
        N_("The server has no public model {repository}."),
        N_("Check the name. If the model requires a login, download it in a browser and add its folder."),
    ),
    "download.no_revision": (
        N_("The server no longer has the required revision of {repository}."),
        N_("Choose another mirror, or wait for a newer Galley."),
    ),
    "download.other_commit": (N_("The server has another commit of {repository} than the catalogue."), _ANOTHER_MIRROR),
    "download.other_file": (N_("The server has another {file} than the catalogue."), _ANOTHER_MIRROR),
    "download.no_file": (N_("The server has no {file}."), N_("Choose another mirror or model.")),
    "download.no_config": (N_("{repository} has no config.json."), _WHISPER),
    "download.no_hashes": (N_("The server does not tell the sizes and hashes of its files."), _ANOTHER_MIRROR),
    "download.hash": (
        N_("{file} was not downloaded correctly: its hash is wrong."),
        N_("Try again, or choose another mirror."),
    ),
    "download.not_a_hub": (N_("The server at {host} is not a model hub."), _MIRROR_ADDRESS),
    "download.other_answer": (N_("The server sent something other than {file}."), _MIRROR_ADDRESS),
    "download.broken_off": (N_("The connection to the server keeps breaking."), _LATER),
    "download.busy": (N_("The server is busy (error {status})."), _LATER),
    "download.status": (
        N_("The server answered with error {status}."),
        N_("Check the name of the model and the address of the mirror."),
    ),
    "download.no_sense": (N_("The server's answer makes no sense ({error})."), N_("Check the address of the mirror.")),
    "download.certificate": (
        N_("This computer does not trust the server's certificate."),
        N_("Add your organisation's certificate to the system, or set SSL_CERT_FILE to its path."),
    ),
    "download.timeout": (N_("The server does not answer."), _LATER),
    "download.proxy_timeout": (N_("The server does not answer through {proxy}."), _PROXY),
    "download.slow": (N_("The server sends less than {bytes} bytes a second."), _LATER),
    "download.other_host": (
        N_("The server redirects to {host}, which is not one of its file servers."),
        N_("Choose another mirror. If you trust that host, download the model there in a browser and add its folder."),
    ),
    "download.not_encrypted": (
        N_("The server redirects to {host} over a connection that is not encrypted."),
        _ANOTHER_MIRROR,
    ),
    "download.unreachable": (
        N_("No connection to {host}."),
        N_("Check the network, then download again."),
    ),
    "download.proxy_unreachable": (N_("The server cannot be reached through {proxy} ({error})."), _PROXY),
    "download.proxy_login": (
        N_("The proxy {proxy} requires a name and a password."),
        N_("Set HTTPS_PROXY (or HTTP_PROXY) to http://NAME:PASSWORD@HOST:PORT."),
    ),
    "download.proxy_refused": (N_("The proxy {proxy} refused the connection ({error})."), _PROXY),
    "download.proxy_address": (
        N_("The address of the proxy cannot be read."),
        N_("Write HTTPS_PROXY as http://HOST:PORT."),
    ),
    "download.settings": (
        N_("The proxy or the certificates cannot be used ({error})."),
        N_("Check their settings."),
    ),
    # PyTorch for CUDA, which the installed program can be given.
    "addon.from_source": (
        N_("Galley runs from source here, and has no add-ons."),
        N_("Install PyTorch by pip install --editable '.[torch]'."),
    ),
    "addon.no_address": (
        N_("This Galley was built without the address of a package index."),
        N_("Name one with --index."),
    ),
    "addon.bad_index": (
        N_("{address} is not the address of a package index."),
        N_("Begin it with https://, then the name of the server."),
    ),
    "addon.no_index": (
        N_("The server at {host} is not a package index that answers in JSON."),
        N_("Check its address, and whether this network requires you to log in first."),
    ),
    "addon.not_there": (N_("{host} has no {url}."), _ANOTHER_INDEX),
    "addon.no_package": (N_("{host} has no {package} for this computer ({system})."), _ANOTHER_INDEX),
    "addon.no_cuda": (N_("{host} has PyTorch for this computer, but not for CUDA."), _ANOTHER_INDEX),
    "addon.too_much": (N_("{host} lists more than PyTorch can need."), _ANOTHER_INDEX),
    "addon.damaged": (N_("{file} is not a sound package."), N_("Repeat the command to download it again.")),
    "addon.installed": (
        N_("PyTorch {version} for CUDA is already installed."),
        N_("Use it with --device cuda."),
    ),
    "addon.not_installed": (N_("PyTorch for CUDA is not installed."), ""),
    "addon.missing": (
        N_("PyTorch for CUDA is not installed."),
        N_("Run galley devices add cuda, or choose another device."),
    ),
    "addon.outdated": (
        N_("PyTorch {version} for CUDA is installed, but this Galley needs {wanted}."),
        N_("Run galley devices add cuda again, or choose another device."),
    ),
    "addon.broken": (
        N_("PyTorch for CUDA cannot be loaded ({error})."),
        N_("Run galley devices remove cuda, then galley devices add cuda."),
    ),
    # The question for a newer version.
    "updates.no_answer": (N_("The answer of {host} does not name a version of Galley."), N_("Try again later.")),
    "updates.not_asked": (
        N_("The newest version could not be asked for. {cause}"),
        N_("Check the connection, and try again later."),
    ),
    # The engine and Galley's other processes.
    "engine.killed": (
        N_("Transcription stopped, possibly for lack of memory."),
        N_("Close other programs and try again."),
    ),
    "engine.crashed": (
        N_("Transcription stopped unexpectedly."),
        N_("Try again."),
    ),
    "engine.crashed_loading": (
        N_("The engine stopped while it was loading the model."),
        N_("Choose another model or device."),
    ),
    "engine.silent": (
        N_("The engine no longer responded."),
        N_("Try again, or choose another model or device."),
    ),
    "engine.twice": (N_("This file stopped the engine twice and was set aside. {cause}"), ""),
    "engine.memory": (
        N_("This computer has too little memory left."),
        N_("Close other programs, or choose a smaller model."),
    ),
    "engine.not_started": (N_("The process cannot be started ({error})."), N_("Close other programs, then try again.")),
    "engine.not_loaded": (N_("The engine cannot be loaded ({error})."), N_("Run galley doctor.")),
    "engine.recording": (N_("Another recording is running."), N_("Stop it first.")),
    "engine.work_ended": (N_("The work on the model ended unexpectedly."), _DETAILS),
    "engine.work_silent": (N_("The work on the model no longer responded and was ended."), N_("Try again.")),
    "engine.mistake": (N_("Galley failed ({error})."), _DETAILS),
    "engine.failed": (N_("Galley failed ({error})."), N_("Try again.")),
    "engine.no_answer": (N_("There was no answer within {seconds} s."), ""),
    "engine.libraries": (N_("The system's libraries failed."), ""),
    "engine.not_finite": (N_("The model's scores are not numbers."), ""),
    "engine.no_peak": (N_("Windows does not report the peak of memory here."), N_("Use Linux or macOS.")),
}

# Nothing can be transcribed until these are gone, no other file either.
_OF_EVERY_FILE = {"engine.not_started", "engine.not_loaded"}


def describe(problem: Problem) -> tuple[str, str]:
    """The reason and the remedy ("" where there is none), each in whole sentences in the language in use.

    A problem with a cause and no remedy of its own has that of its cause.
    """
    causes = {name: describe(one) for name, one in problem.values.items() if isinstance(one, Problem)}
    values = problem.values | {name: cause for name, (cause, _remedy) in causes.items()}
    try:
        reason, remedy = _SENTENCES[problem.code]
        return _(reason, **values), _(remedy, **values) or " ".join(each for _reason, each in causes.values())
    except (LookupError, ValueError, AttributeError, TypeError):  # kept by another version, or damaged
        return describe(Problem("library.problem"))


def is_code(text: str) -> bool:
    """Whether this is the code of a problem."""
    return text in _SENTENCES


def sentence(*problems: Problem) -> str:
    """Reasons and remedies, one behind the other."""
    return " ".join(text for problem in problems for text in describe(problem) if text)


def end_of(recorded: Recorded) -> tuple[Problem, ...]:
    """What a reader should know of a recording: why it ended early, and where no sound came."""
    early = Problem("microphone.ended_early", cause=recorded.problem) if recorded.problem else None
    return tuple(filter(None, (early, missing(recorded.gaps))))


def concerns_every_file(problem: Problem) -> bool:
    """Whether other files cannot be transcribed either."""
    return problem.kind == "model" or problem.code in _OF_EVERY_FILE
