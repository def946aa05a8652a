/**
 * The numbers of locks, waiters and keys that one instance can have, and their cost in
 * heap, threads and commands. The measured code runs in a process of its own, so that
 * heap and threads are the library's and not the tests'.
 */
package io.distributedlock.limits;
