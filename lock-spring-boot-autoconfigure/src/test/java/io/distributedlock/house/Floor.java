package io.distributedlock.house;

/** Knows its rooms. */
final class Floor {

	private final Room[] rooms = new Room[3];

	Room room(int number) {
		return this.rooms[number];
	}

}
