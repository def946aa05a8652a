package io.distributedlock.state;

/**
 * What stands in the way of a request.
 *
 * @param holder the instance that holds the lock, or empty where none does
 * @param until the latest time at which it is out of the way, in milliseconds
 */
record Obstacle(String holder, long until) {
}
