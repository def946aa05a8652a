package kotlin.coroutines;

/**
 * Stands for Kotlin's own: the last parameter of every suspending function, in byte code.
 */
public interface Continuation<T> {

}
