"""How many tokens to draft before the target looks: a pure function of measured costs and tracked acceptance.

The expected number of tokens a round writes is E(k) = (1 - a^(k+1)) / (1 - a) with acceptance a (Leviathan, Kalman and
Matias, "Fast inference from transformers via speculative decoding", 2023); a round costs k drafted tokens and one
pass of k + 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

FORGET = 0.98  # weight of the past at each new observation: about the last 50 rounds count
PRIOR_SLOPE = 0.07  # what a further token adds to a pass, as a share of a one-token pass, until two widths were seen
PRIOR_ACCEPTANCE, PRIOR_WEIGHT = 0.8, 10.0


def expected_tokens(acceptance: float, look_ahead: int) -> float:
    """Tokens that a round writes on average: the accepted ones and the target's own after them."""
    if acceptance >= 1.0:
        return look_ahead + 1.0
    return float((1.0 - acceptance ** (look_ahead + 1)) / (1.0 - acceptance))


def best_look_ahead(draft: float, base: float, slope: float, acceptance: float, least: int, most: int) -> int:
    """The look-ahead between `least` and `most` that writes most tokens a second.

    `draft` is the cost of one drafted token, `base` + `slope` * k that of a target pass of k tokens, all in seconds.
    """

    def speed(look_ahead: int) -> float:
        cost = look_ahead * draft + base + slope * (look_ahead + 1)
        return expected_tokens(acceptance, look_ahead) / max(cost, 1e-9)

    return max(range(least, most + 1), key=speed)


@dataclass
class LookAhead:
    """Measures a pair while it works and says how far to draft next.

    `least` is 2 because whoever has chosen a draft wants it to work; leaving it out altogether is for a policy that
    has seen it lose.
    """

    least: int = 2
    most: int = 8
    # Decayed sums: of 1, k, k^2, t and k * t over target passes; of tokens and seconds; of accepted and compared
    # tokens.
    _passes: list[float] = field(default_factory=lambda: [0.0] * 5)
    _draft: list[float] = field(default_factory=lambda: [0.0, 0.0])
    _agreed: list[float] = field(default_factory=lambda: [PRIOR_ACCEPTANCE * PRIOR_WEIGHT, PRIOR_WEIGHT])

    def choose(self) -> int:
        """The look-ahead for the next round."""
        if not self._passes[0] or not self._draft[0]:
            return (self.least + self.most) // 2
        base, slope = self._pass_cost()
        return best_look_ahead(
            self._draft[1] / self._draft[0], base, slope, self._agreed[0] / self._agreed[1], self.least, self.most
        )

    def passed(self, tokens: int, seconds: float) -> None:
        """A target pass of `tokens` took `seconds`."""
        _decay(self._passes, (1.0, tokens, tokens * tokens, seconds, tokens * seconds))

    def drafted(self, tokens: int, seconds: float) -> None:
        """Drafting `tokens` took `seconds`."""
        if tokens:
            _decay(self._draft, (tokens, seconds))

    def compared(self, compared: int, accepted: int) -> None:
        """Of `compared` drafted tokens the target agreed with `accepted`."""
        if compared:
            _decay(self._agreed, (accepted, compared))

    def _pass_cost(self) -> tuple[float, float]:
        """Base and slope of a target pass's cost: least squares, or the prior slope while all passes were alike."""
        count, widths, squares, seconds, products = self._passes
        spread = count * squares - widths * widths
        if spread > 1e-3 * count * count:
            slope = (count * products - widths * seconds) / spread
            base = (seconds - slope * widths) / count
            if slope > 0 and base > 0:
                return base, slope
        width, mean = widths / count, seconds / count
        one = mean / (1 + PRIOR_SLOPE * (width - 1))
        return one * (1 - PRIOR_SLOPE), one * PRIOR_SLOPE


def _decay(sums: list[float], values: tuple[float, ...]) -> None:
    for index, value in enumerate(values):
        sums[index] = sums[index] * FORGET + value
