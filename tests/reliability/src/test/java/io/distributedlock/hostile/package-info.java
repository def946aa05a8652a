/**
 * Keys, names, durations, expressions and properties that tend to break locks. Every one
 * works, or is refused with an error that names the cause and the remedy; none is taken
 * for another, and none leaves anything locked.
 */
package io.distributedlock.hostile;
