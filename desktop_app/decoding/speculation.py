"""Draft and verify: the text of one window, token for token the target's own greedy choice, in fewer passes.

Speculative decoding after Leviathan, Kalman and Matias (2023), greedy, with one addition: a tie guard. Passes of
one and of several tokens differ in the last bits of their scores; where the two best tokens are closer than that
difference, the position is decided again by a one-token pass, as the target alone would have decided it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter

from desktop_app.decoding.drafters import Drafter
from desktop_app.decoding.lookahead import LookAhead, Round
from desktop_app.decoding.protocol import Cursor, Model, Scores
from desktop_app.decoding.rules import Decision, Rules, Written
from desktop_app.decoding.steps import Read, Steps, timed
from desktop_app.transcript.statistics import Counter, Statistics


class CancelledError(Exception):
    """The user asked to stop; raised between two passes."""


@dataclass
class DecodedText:
    """The text of a window as it grows: `tokens` are final, `log_probability` is the sum over them and the end
    token."""

    room: int  # how many tokens fit after the prefill
    tokens: list[int] = field(default_factory=list)
    log_probability: float = 0.0
    written: Written = field(default_factory=Written)
    ended: bool = False


@dataclass(frozen=True)
class _Proposal:
    """What the drafter proposed when it was `asked` for so many tokens (0: it was not), and its cost."""

    tokens: list[int] = field(default_factory=list)
    asked: int = 0
    passes: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class _Verified:
    """What became of a draft: the scores behind what was `unread`, the tokens `written`, an end token among them, and
    the drafted ones of them; decisions that the tie guard took again."""

    first: Scores
    written: int
    compared: int
    accepted: int
    ties: int


Watch = Callable[[Sequence[int], Sequence[int]], None]
"""Called once a round with the verified tokens and the draft that is not verified yet. May raise CancelledError."""


class Speculation:
    """Decodes one window with a target's cursor and perhaps a drafter, in steps."""

    def __init__(
        self,
        target: Model,
        cursor: Cursor,
        rules: Rules,
        counter: Counter,
        drafter: Drafter | None,
        look_ahead: LookAhead,
    ) -> None:
        self._target, self._cursor = target, cursor
        self._rules, self._counter = rules, counter
        self._drafter, self._look_ahead = drafter, look_ahead

    def decode(
        self, prefill: Sequence[int], watch: Watch, begin: Callable[[], None]
    ) -> Steps[tuple[DecodedText, Scores]]:
        """The text that follows `prefill`, and the scores behind each of its tokens; the cursor must be at position 0.
        `begin` prepares the drafter for the window; it is called before the first proposal, if there is one.

        The first draft is verified in the prefill's own pass. Ends at the end token or when prefill and text together
        fill the positions.
        """
        self._look_ahead.window()
        self._begin: Callable[[], None] | None = begin
        text = DecodedText(room=self._target.positions - len(prefill))
        first = yield from self._round(text, prefill, watch)
        while not text.ended:
            yield from self._round(text, text.tokens[-1:], watch)
        return text, first

    def run(self, tokens: Sequence[int]) -> Steps[Scores]:
        """One pass of the target, counted and timed."""
        reply = yield Read(self._target, self._cursor, tokens)
        self._counter.add(Statistics(verify_seconds=reply.seconds, target_passes=1))
        return reply.scores

    def _draft(self, text: DecodedText) -> Steps[_Proposal]:
        room = text.room - len(text.tokens) - 1  # a round writes one token more than it drafts
        if self._drafter is None or room < 1 or not (count := min(self._look_ahead.choose(), room)):
            return _Proposal()
        if self._begin is not None:
            began = perf_counter()
            self._begin()
            self._begin = None
            self._look_ahead.began(perf_counter() - began)
            self._counter.add(Statistics(draft_seconds=perf_counter() - began))
        before = self._drafter.passes
        proposed, seconds = yield from timed(self._drafter.steps(text.tokens, count, self._look_ahead.confidence))
        tokens, passes = proposed[:room], self._drafter.passes - before
        self._counter.add(Statistics(draft_seconds=seconds, drafted=len(tokens), draft_passes=passes))
        return _Proposal(tokens, count, passes, seconds)

    def _round(self, text: DecodedText, unread: Sequence[int], watch: Watch) -> Steps[Scores]:
        """One round: draft, and verify. Returns the scores behind the `unread`."""
        proposal = yield from self._draft(text)
        watch(text.tokens, proposal.tokens)
        before = len(text.tokens)
        verified, seconds = yield from timed(self._verify(text, unread, proposal.tokens))
        self._counter.add(
            Statistics(
                tokens=len(text.tokens) - before,
                near_ties=verified.ties,
                compared=verified.compared,
                accepted=verified.accepted,
                **self._of_head(verified),
            )
        )
        if self._drafter is not None and not proposal.asked and (speed := self._look_ahead.left_out) is not None:
            self._counter.add(Statistics(left_out=verified.written, left_out_speed=speed * verified.written))
        if len(unread) == 1:
            self._look_ahead.record(
                Round(
                    proposal.asked,
                    len(proposal.tokens),
                    verified.compared,
                    verified.accepted,
                    verified.written,
                    proposal.passes,
                    proposal.seconds,
                    seconds,
                )
            )
        return verified.first

    def _of_head(self, verified: _Verified) -> dict[str, int]:
        """What of a round is due to the CTC head of the draft."""
        if self._drafter is None or not self._drafter.is_head:
            return {}
        return {"head_compared": verified.compared, "head_accepted": verified.accepted}

    def _verify(self, text: DecodedText, unread: Sequence[int], draft: Sequence[int]) -> Steps[_Verified]:
        """A verification pass over the tokens that are not in the KV cache yet and the draft. Takes what the target
        agrees with, and its own token after that."""
        base, before = self._cursor.length + len(unread) - 1, len(text.tokens)
        scores = yield from self.run([*unread, *draft])
        first, behind = scores[: len(unread)], scores[len(unread) - 1 :]
        written = compared = accepted = ties = 0
        for index, after in enumerate([unread[-1], *draft]):
            decision = self._rules.decide(behind[index], text.written)
            near_tie = bool(draft) and decision.margin < self._target.epsilon
            if near_tie:
                alone = [after] if index else unread
                self._cursor.rewind(base + index + 1 - len(alone))
                behind_it = yield from self.run(alone)
                first = first if index else behind_it
                decision = self._rules.decide(behind_it[-1], text.written)
                ties += 1
            self._take(text, decision)
            written += 1
            if index == len(draft):
                break
            compared += 1
            agreed = decision.token == draft[index]
            accepted += agreed
            if near_tie or not agreed or text.ended:  # behind a near tie the cursor has read nothing more
                break
        self._cursor.rewind(base + len(text.tokens) - before)
        return _Verified(first, written, compared, accepted, ties)

    def _take(self, text: DecodedText, decision: Decision) -> None:
        text.log_probability += decision.log_probability
        if decision.token == self._rules.vocabulary.end:
            text.ended = True
            return
        text.tokens.append(decision.token)
        text.written = self._rules.follow(text.written, decision.token)
        text.ended = len(text.tokens) >= text.room
