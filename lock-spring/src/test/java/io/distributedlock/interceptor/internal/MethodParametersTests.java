package io.distributedlock.interceptor.internal;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.function.Function;

import io.distributedlock.Lease;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.interceptor.GuardedContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The names in an expression were those of the implementation, and never those of a
 * generic declaration: a call locked the other argument, or the start failed.
 */
class MethodParametersTests {

	private static <T> String call(Class<T> type, Class<? extends T> bean, Function<T, String> call) {
		try (GuardedContext context = GuardedContext.of(bean)) {
			return call.apply(context.bean(type));
		}
	}

	static String key() {
		return Lease.current().map(Lease::key).orElse("none");
	}

	@ParameterizedTest
	@ValueSource(classes = { PdfStore.class, InheritedPdfStore.class, SpecialStore.class })
	void nameWhenGenericInterfaceIsAnnotatedIsFound(Class<? extends Store<Pdf>> bean) {
		assertThat(call(store(), bean, (store) -> store.put(new Pdf("7")))).isEqualTo("7");
	}

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private static Class<Store<Pdf>> store() {
		return (Class) Store.class;
	}

	@Test
	void nameWhenGenericSuperclassIsAnnotatedIsFound() {
		assertThat(call(PdfBase.class, PdfBase.class, (base) -> base.put(new Pdf("7")))).isEqualTo("7");
	}

	@ParameterizedTest
	@ValueSource(classes = { SwappedMove.class, SwappedMoveOfAnnotatedType.class, SwappedMoveOfComposed.class })
	void nameWhenImplementationSwapsNamesIsThatOfTheDeclaration(Class<? extends PlainMoving> bean) {
		assertThat(call(PlainMoving.class, bean, (moving) -> moving.move("a", "b"))).isEqualTo("a");
	}

	@Test
	void nameWhenOverriddenMethodIsAnnotatedIsItsName() {
		assertThat(call(MovingBase.class, SwappedMovingBase.class, (moving) -> moving.move("a", "b"))).isEqualTo("a");
	}

	@Test
	void nameWhenSuperclassIsAnnotatedIsThatOfItsMethod() {
		assertThat(call(AnnotatedBase.class, SwappedAnnotatedBase.class, (moving) -> moving.move("a", "b")))
			.isEqualTo("a");
	}

	@Test
	void nameWhenAnnotatedTypeOnlyInheritsTheMethodIsTheInheritedOne() {
		assertThat(call(PlainMoving.class, SwappedMoveOfInheritingType.class, (moving) -> moving.move("a", "b")))
			.isEqualTo("a");
	}

	/** A method that was inherited from a class without the interface ran unguarded. */
	@Test
	void nameWhenMethodIsInheritedIsThatOfTheInterface() {
		assertThat(call(Moving.class, InheritedMove.class, (moving) -> moving.move("a", "b"))).isEqualTo("a");
	}

	/** The annotation is not on the interface. */
	@ParameterizedTest
	@ValueSource(classes = { OwnAnnotation.class, OwnAnnotatedType.class })
	void nameWhenImplementationIsAnnotatedIsItsOwn(Class<? extends PlainMoving> bean) {
		assertThat(call(PlainMoving.class, bean, (moving) -> moving.move("a", "b"))).isEqualTo("b");
	}

	@Test
	void nameWhenOnlyTheOtherDeclarationHasItIsFound() {
		assertThat(call(Moving.class, RenamedMove.class, (moving) -> moving.move("a", "b"))).isEqualTo("a");
		assertThat(call(PlainMoving.class, NameOfInterface.class, (moving) -> moving.move("a", "b"))).isEqualTo("a");
	}

	@Test
	void nameWhenTokenIsOfAnotherDeclarationIsThatOfTheToken() {
		assertThat(call(Transfer.class, SwappedTransfer.class, (transfer) -> transfer.move("a", "b", 0)))
			.isEqualTo("a");
	}

	@Test
	void nameWhenOverloadedIsThatOfTheSameMethod() {
		assertThat(call(Overloaded.class, SwappedOverloaded.class, (moving) -> moving.move("a", 1))).isEqualTo("a");
	}

	public record Pdf(String id) {
	}

	public interface Store<T> {

		@DistributedLock("#doc.id")
		String put(T doc);

	}

	public static class PdfStore implements Store<Pdf> {

		@Override
		public String put(Pdf pdf) {
			return key();
		}

	}

	public static class PdfPutting {

		public String put(Pdf pdf) {
			return key();
		}

	}

	public static class InheritedPdfStore extends PdfPutting implements Store<Pdf> {

	}

	public interface NarrowStore<D extends Pdf> extends Store<D> {

		@Override
		String put(D file);

	}

	public static class SpecialStore implements NarrowStore<Pdf> {

		@Override
		public String put(Pdf pdf) {
			return key();
		}

	}

	public abstract static class Base<T> {

		@DistributedLock("#doc.id")
		public abstract String put(T doc);

	}

	public static class PdfBase extends Base<Pdf> {

		@Override
		public String put(Pdf pdf) {
			return key();
		}

	}

	public interface PlainMoving {

		String move(String from, String to);

	}

	public interface Moving extends PlainMoving {

		@Override
		@DistributedLock("#from")
		String move(String from, String to);

	}

	public static class SwappedMove implements Moving {

		@Override
		public String move(String to, String from) {
			return key();
		}

	}

	@DistributedLock("#from")
	public interface AnnotatedMoving extends PlainMoving {

		@Override
		String move(String from, String to);

	}

	public static class SwappedMoveOfAnnotatedType implements AnnotatedMoving {

		@Override
		public String move(String to, String from) {
			return key();
		}

	}

	@DistributedLock("#from")
	public interface InheritingMoving extends PlainMoving {

	}

	public static class SwappedMoveOfInheritingType implements InheritingMoving {

		@Override
		public String move(String to, String from) {
			return key();
		}

	}

	public static class SwappedMoving {

		public String move(String to, String from) {
			return key();
		}

	}

	public static class InheritedMove extends SwappedMoving implements Moving {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock
	@interface Keyed {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	public interface ComposedMoving extends Moving {

		@Override
		@Keyed("#source")
		String move(String source, String from);

	}

	public static class SwappedMoveOfComposed implements ComposedMoving {

		@Override
		public String move(String from, String source) {
			return key();
		}

	}

	public static class RenamedMove implements Moving {

		@Override
		public String move(String source, String target) {
			return key();
		}

	}

	public static class NameOfInterface implements PlainMoving {

		@Override
		@DistributedLock("#from")
		public String move(String source, String target) {
			return key();
		}

	}

	public static class MovingBase {

		@DistributedLock("#from")
		public String move(String from, String to) {
			return key();
		}

	}

	public static class SwappedMovingBase extends MovingBase {

		@Override
		public String move(String to, String from) {
			return key();
		}

	}

	@DistributedLock("#from")
	public static class AnnotatedBase {

		public String move(String from, String to) {
			return key();
		}

	}

	public static class SwappedAnnotatedBase extends AnnotatedBase {

		@Override
		public String move(String to, String from) {
			return key();
		}

	}

	public static class OwnAnnotation implements PlainMoving {

		@Override
		@DistributedLock("#from")
		public String move(String to, String from) {
			return key();
		}

	}

	@DistributedLock("#from")
	public static class OwnAnnotatedType implements PlainMoving {

		@Override
		public String move(String to, String from) {
			return key();
		}

	}

	public interface Transfer {

		String move(String from, String to, @FencingToken("#from") long token);

	}

	/** The key of the lock is the first argument, and so is that of the token. */
	public static class SwappedTransfer implements Transfer {

		@Override
		@DistributedLock("#to")
		public String move(String to, String from, long token) {
			return key();
		}

	}

	public interface Overloaded {

		@DistributedLock("#from")
		String move(String from, int to);

		String move(int from, String to);

	}

	public static class SwappedOverloaded implements Overloaded {

		@Override
		public String move(String to, int from) {
			return key();
		}

		@Override
		public String move(int source, String target) {
			return key();
		}

	}

}
