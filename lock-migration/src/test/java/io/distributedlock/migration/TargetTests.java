package io.distributedlock.migration;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;

import static org.assertj.core.api.Assertions.assertThat;

/** The types that templates know are those of the library. */
class TargetTests {

	static Stream<J.ClassDeclaration> types() {
		return JavaParser.fromJavaVersion()
			.build()
			.parse(Target.SOURCES)
			.map(J.CompilationUnit.class::cast)
			.flatMap((unit) -> unit.getClasses().stream());
	}

	@ParameterizedTest
	@MethodSource("types")
	void typeHasOnlyMembersOfTheRealOne(J.ClassDeclaration type) throws ClassNotFoundException {
		JavaType.FullyQualified declared = type.getType();
		assertThat(declared).isNotNull();
		Class<?> real = Class.forName(declared.getFullyQualifiedName());
		List<String> members = Stream
			.concat(Arrays.stream(real.getDeclaredMethods()).map(TargetTests::signature),
					Arrays.stream(real.getDeclaredFields()).map((field) -> field.getName()))
			.toList();
		List<String> written = Stream.concat(
				declared.getMethods().stream().filter((method) -> !method.isConstructor()).map(TargetTests::signature),
				declared.getMembers().stream().map(JavaType.Variable::getName))
			.toList();
		assertThat(written).isNotEmpty();
		assertThat(members).containsAll(written);
	}

	private static String signature(Method method) {
		return method.getReturnType().getTypeName() + " " + method.getName()
				+ Arrays.stream(method.getParameterTypes()).map(Class::getTypeName).toList();
	}

	private static String signature(JavaType.Method method) {
		return name(method.getReturnType()) + " " + method.getName()
				+ method.getParameterTypes().stream().map(TargetTests::name).toList();
	}

	private static String name(JavaType type) {
		return (type instanceof JavaType.Parameterized parameterized) ? parameterized.getType().getFullyQualifiedName()
				: type.toString();
	}

}
