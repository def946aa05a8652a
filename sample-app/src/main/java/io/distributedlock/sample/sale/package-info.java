/**
 * The flash sale itself: starts instances of this application in processes of their own,
 * lets their buyers begin at the same moment, and counts.
 */
@NullMarked
package io.distributedlock.sample.sale;

import org.jspecify.annotations.NullMarked;
