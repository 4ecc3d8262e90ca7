from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from memary_core.ui.period import Period, in_words, shown_at_first

NOW = datetime(2026, 5, 10, 12, tzinfo=UTC)


class TestPeriod:
    def test_dates_in_either_order_give_the_same_days(self) -> None:
        one, other = date(2026, 5, 1), date(2026, 5, 7)
        assert Period.between(other, one) == Period(one, other)

    def test_the_period_before_is_as_long_and_touches_it(self) -> None:
        week = Period(date(2026, 5, 8), date(2026, 5, 14))
        assert week.before == Period(date(2026, 5, 1), date(2026, 5, 7))
        assert week.before.end == week.start

    def test_it_lasts_from_midnight_to_midnight(self) -> None:
        day = Period(date(2026, 5, 8), date(2026, 5, 8))
        assert (day.start.hour, day.end.hour) == (0, 0)
        assert day.end.date() - day.start.date() == timedelta(1)

    @pytest.mark.parametrize(
        ("first", "last", "words"),
        [
            (date(2026, 5, 1), date(2026, 5, 7), "1 to 7 May 2026"),
            (date(2026, 4, 28), date(2026, 5, 4), "28 April to 4 May 2026"),
            (date(2025, 12, 28), date(2026, 1, 3), "28 December 2025 to 3 January 2026"),
            (date(2026, 5, 1), date(2026, 5, 1), "1 May 2026"),
        ],
    )
    def test_in_words(self, first: date, last: date, words: str) -> None:
        assert in_words(Period(first, last)) == words

    def test_at_first_it_ends_today_or_where_the_mentions_end(self) -> None:
        today = date(2026, 5, 10)
        recent = Period(date(2026, 4, 11), today)
        assert shown_at_first(today, None) == recent
        assert shown_at_first(today, NOW - timedelta(days=3)) == recent
        assert shown_at_first(today, NOW - timedelta(days=90)).last == date(2026, 2, 9)
