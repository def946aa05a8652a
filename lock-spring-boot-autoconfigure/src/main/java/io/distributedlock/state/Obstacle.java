package io.distributedlock.state;

/**
 * What stands in the way of a request.
 *
 * @param holder the instance that holds the lock, or empty where none does
 * @param until when it is out of the way at the latest, in milliseconds
 */
record Obstacle(String holder, long until) {
}
