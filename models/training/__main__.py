"""Run the whole recipe in order: `python -m models.training`. Finished steps are skipped, stopped ones go on."""

from models.training import (
    card,
    evaluate,
    export,
    sample,
    synthesise,
    tokenise,
    train_draft,
    train_speakers,
    train_target,
)


def main() -> None:
    for step in (synthesise, tokenise, train_target, train_draft, export, train_speakers, sample, evaluate, card):
        print(f"== {step.__name__.rpartition('.')[2]}", flush=True)
        step.main()


if __name__ == "__main__":
    main()
