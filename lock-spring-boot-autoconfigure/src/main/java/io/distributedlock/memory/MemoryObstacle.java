package io.distributedlock.memory;

/**
 * What stands in the way of a request.
 *
 * @param holder the instance that holds the lock, or empty where nobody does
 * @param until when it is out of the way at the latest if nobody does anything
 */
record MemoryObstacle(String holder, long until) {
}
