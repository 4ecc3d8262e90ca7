"""What was centred, one after another, with back and forward as in a browser. Pure."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 100


@dataclass(frozen=True, slots=True)
class Trail:
    """The ids of the entities that were centred; `at` is the place of the present one, -1 where there is none."""

    visited: tuple[str, ...] = ()
    at: int = -1

    @property
    def here(self) -> str | None:
        """The entity in the centre."""
        return self.visited[self.at] if self.visited else None

    @property
    def can_go_back(self) -> bool:
        """Was something else centred before?"""
        return self.at > 0

    @property
    def can_go_forward(self) -> bool:
        """Was *back* used since?"""
        return self.at + 1 < len(self.visited)

    def to(self, entity_id: str) -> Trail:
        """Centre another entity; what lay ahead is dropped. Centring the same one again changes nothing."""
        if entity_id == self.here:
            return self
        visited = (*self.visited[: self.at + 1], entity_id)[-LONGEST:]
        return Trail(visited, len(visited) - 1)

    def back(self) -> Trail:
        """One step back, where there is one."""
        return Trail(self.visited, self.at - 1) if self.can_go_back else self

    def forward(self) -> Trail:
        """One step forward, where there is one."""
        return Trail(self.visited, self.at + 1) if self.can_go_forward else self
