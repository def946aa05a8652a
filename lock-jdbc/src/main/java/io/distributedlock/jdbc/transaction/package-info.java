/**
 * The connections of transactions that Spring manages. Only this package needs
 * spring-jdbc, which is optional.
 */
@NullMarked
package io.distributedlock.jdbc.transaction;

import org.jspecify.annotations.NullMarked;
