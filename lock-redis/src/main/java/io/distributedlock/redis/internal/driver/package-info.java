/**
 * Operations that the Redis store needs of a driver library, and the driver for any
 * connection factory of Spring Data. Knows neither locks nor a library by name: Lettuce
 * and Jedis have packages of their own. None of the three is part of the API.
 */
@NullMarked
package io.distributedlock.redis.internal.driver;

import org.jspecify.annotations.NullMarked;
