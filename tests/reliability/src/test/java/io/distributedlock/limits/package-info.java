/**
 * How many locks, waiters and keys one instance can have, and what they cost: heap,
 * threads, commands. What is measured runs in a process of its own, so that heap and
 * threads are the library's and not the tests'.
 */
package io.distributedlock.limits;
