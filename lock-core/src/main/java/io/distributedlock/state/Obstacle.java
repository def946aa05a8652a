package io.distributedlock.state;

/**
 * A holder, a kept lock or waiters that come before a request.
 *
 * @param holder the instance that holds the lock, or empty if none does
 * @param until the latest end of the obstacle, in milliseconds
 */
record Obstacle(String holder, long until) {
}
