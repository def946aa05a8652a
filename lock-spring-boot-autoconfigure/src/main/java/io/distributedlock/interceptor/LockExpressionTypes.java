package io.distributedlock.interceptor;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.support.ReflectivePropertyAccessor;

/**
 * The types of parameters and their properties, as far as they are certain without a
 * call: where a subclass may know more, nothing is.
 */
final class LockExpressionTypes {

	private final Method method;

	private final Class<?> targetClass;

	private final ParameterNames names;

	private final Properties properties = new Properties();

	LockExpressionTypes(Method method, Class<?> targetClass, ParameterNames names) {
		this.method = method;
		this.targetClass = targetClass;
		this.names = names;
	}

	/**
	 * The type of a parameter, or of a chain of properties that starts with one.
	 * @param node a variable or a chain
	 * @return the type, or {@code null} if it is not certain
	 * @throws InvalidAttributeException if a property cannot exist
	 */
	@Nullable Class<?> typeOf(SpelNode node) {
		if (node instanceof VariableReference) {
			Integer index = this.names.indexOf(node.toStringAST().substring(1));
			return (index != null) ? ResolvableType.forMethodParameter(this.method, index, this.targetClass).resolve()
					: null;
		}
		return (node instanceof CompoundExpression) ? typeOfChain(node) : null;
	}

	private @Nullable Class<?> typeOfChain(SpelNode chain) {
		Class<?> type = typeOf(chain.getChild(0));
		for (int i = 1; type != null && i < chain.getChildCount(); i++) {
			type = (chain.getChild(i) instanceof PropertyOrFieldReference property && !property.isNullSafe())
					? this.properties.typeOf(property.getName(), type) : null;
		}
		return type;
	}

	/** Finds properties as they are found when the expression is evaluated. */
	private static final class Properties extends ReflectivePropertyAccessor {

		@Nullable Class<?> typeOf(String name, Class<?> owner) {
			if (owner.isArray()) {
				return null;
			}
			Method getter = findGetterForProperty(name, owner, false);
			if (getter != null) {
				return ResolvableType.forMethodReturnType(getter, owner).resolve();
			}
			Field field = findField(name, owner, false);
			if (field != null) {
				return ResolvableType.forField(field, owner).resolve();
			}
			if (Modifier.isFinal(owner.getModifiers()) && !owner.isPrimitive()) {
				throw new InvalidAttributeException("%s has no property '%s'".formatted(owner.getTypeName(), name),
						"Correct the name of the property, or add a getter");
			}
			return null;
		}

	}

}
