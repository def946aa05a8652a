/**
 * The shop: stock and orders, the guarded purchase, and its REST API. All writes to the
 * stock of an item go through the lock named {@code purchase} with the item as the key.
 */
@NullMarked
package io.distributedlock.sample.shop;

import org.jspecify.annotations.NullMarked;
