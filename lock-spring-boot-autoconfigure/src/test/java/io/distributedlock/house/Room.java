package io.distributedlock.house;

import java.util.List;

/** Knows its floor by a nested type. */
public final class Room {

	private record Wall(Floor floor) {
	}

	List<Wall> walls(Floor floor) {
		return List.of(new Wall(floor));
	}

}
