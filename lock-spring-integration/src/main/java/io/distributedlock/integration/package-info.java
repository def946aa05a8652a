/**
 * Spring Integration's registry of locks on the locks of this library. Its locks belong
 * to threads and exclude only other locks of this library.
 */
@NullMarked
package io.distributedlock.integration;

import org.jspecify.annotations.NullMarked;
