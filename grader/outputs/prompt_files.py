"""Shows prompts as a person reads them, as text or as one file each; sends nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.errors import RunError
from grader.outputs.atomic_file import writing
from grader.outputs.file_names import safe_file_names
from grader.records import NONCE_STAND_IN, Prompt


def prompt_text(prompt: Prompt) -> str:
    """Return all messages of a prompt below each other, a fixed word standing in for the random nonce."""
    messages = prompt.with_nonce(NONCE_STAND_IN)
    return "\n\n".join(f"===== {message['role']} =====\n{message['content']}" for message in messages) + "\n"


def write_prompts(out_dir: Path, prompts: Sequence[Prompt]) -> tuple[Path, ...]:
    """Write each prompt to `out_dir/SYSTEM/ID.txt` and return the paths; files of the same name are replaced.

    Raises:
        RunError: the folder cannot be written.
    """
    folders = safe_file_names(prompt.item.system for prompt in prompts)
    files = safe_file_names(prompt.item.id for prompt in prompts)
    paths = tuple(out_dir / folders[prompt.item.system] / f"{files[prompt.item.id]}.txt" for prompt in prompts)
    try:
        for folder in dict.fromkeys(path.parent for path in (*paths, out_dir / "-")):
            folder.mkdir(parents=True, exist_ok=True)
        for path, prompt in zip(paths, prompts, strict=True):
            with writing(path) as file:
                file.write(prompt_text(prompt))
    except OSError as error:
        raise RunError(f"{error.filename or out_dir} cannot be written: {error.strerror or error}") from error
    return paths
