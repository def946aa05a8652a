package io.distributedlock.migration;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Reads all files of a run before one of them is changed. Changes nothing itself. */
final class RedissonScan extends JavaIsoVisitor<ExecutionContext> {

	private final RedissonRun run;

	RedissonScan(RedissonRun run) {
		this.run = run;
	}

	@Override
	public J.CompilationUnit visitCompilationUnit(J.CompilationUnit unit, ExecutionContext context) {
		if (new UsesType<>("org.redisson.api.*", false).visit(unit, context) != unit) {
			RedissonUses.of(unit, this.run).addTo(this.run, unit.getSourcePath());
		}
		return super.visitCompilationUnit(unit, context);
	}

	@Override
	public J.VariableDeclarations.NamedVariable visitVariable(J.VariableDeclarations.NamedVariable variable,
			ExecutionContext context) {
		this.run.values.addVariable(variable.getVariableType(), variable.getInitializer());
		return super.visitVariable(variable, context);
	}

	@Override
	public J.Assignment visitAssignment(J.Assignment assignment, ExecutionContext context) {
		this.run.values.addVariable(Values.variable(assignment.getVariable()), assignment.getAssignment());
		return super.visitAssignment(assignment, context);
	}

	@Override
	public J.Return visitReturn(J.Return returned, ExecutionContext context) {
		J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
		if (method != null) {
			this.run.values.addReturn(method.getMethodType(), returned.getExpression());
		}
		return super.visitReturn(returned, context);
	}

	@Override
	public J.NewClass visitNewClass(J.NewClass made, ExecutionContext context) {
		called(made.getType(), made.getConstructorType(), made.getArguments());
		return super.visitNewClass(made, context);
	}

	@Override
	public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
		JavaType.Method method = call.getMethodType();
		if (call.getSimpleName().equals("super") && method != null) {
			called(method.getDeclaringType(), method, call.getArguments());
		}
		else {
			this.run.values.addArguments(method, call.getArguments());
		}
		return super.visitMethodInvocation(call, context);
	}

	/** A constructor that Lombok makes may be unknown: then its arguments tell. */
	private void called(@Nullable JavaType type, JavaType.@Nullable Method constructor, List<Expression> arguments) {
		this.run.values.addArguments(constructor, arguments);
		JavaType.FullyQualified made = TypeUtils.asFullyQualified(type);
		boolean takesClient = arguments.stream()
			.anyMatch((argument) -> Redisson.of(argument.getType()) == Redisson.CLIENT)
				|| (constructor != null && constructor.getParameterTypes()
					.stream()
					.anyMatch((parameter) -> Redisson.of(parameter) == Redisson.CLIENT));
		if (made != null && takesClient) {
			this.run.constructed.add(made.getFullyQualifiedName());
		}
	}

}
