package io.distributedlock.house;

/**
 * Knows a room, which does not know it, and has three parameters.
 *
 * @param from where it leads from
 * @param to where it leads to
 * @param width in centimetres
 */
record Door(Room from, Room to, int width) {

	Door {
		if (width < 1) {
			throw new IllegalArgumentException("No width");
		}
	}

}
