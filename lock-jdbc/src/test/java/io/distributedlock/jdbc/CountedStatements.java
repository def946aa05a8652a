package io.distributedlock.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

/** The statements that a store sends: each execution is a round trip. */
final class CountedStatements {

	private final List<String> sent = new CopyOnWriteArrayList<>();

	/** Return a source that notes what is executed on its connections. */
	DataSource on(DataSource source) {
		return proxy(DataSource.class, source, "");
	}

	/** Return the statements since the last call, by their first word after WITH … AS. */
	List<String> take() {
		List<String> all = List.copyOf(this.sent);
		this.sent.clear();
		return all;
	}

	int count() {
		return this.sent.size();
	}

	private <T> T proxy(Class<T> type, T target, String sql) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, arguments) -> {
				String text = (arguments != null && arguments.length > 0 && arguments[0] instanceof String first)
						? first : sql;
				if (method.getName().startsWith("execute") || method.getName().equals("isValid")
						|| method.getName().equals("commit")) {
					this.sent.add(text);
				}
				Object result;
				try {
					result = method.invoke(target, arguments);
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
				if (result instanceof Connection connection && !method.getName().equals("unwrap")) {
					return proxy(Connection.class, connection, "");
				}
				if (result instanceof PreparedStatement prepared) {
					return proxy(PreparedStatement.class, prepared, text);
				}
				return (result instanceof Statement statement) ? proxy(Statement.class, statement, "") : result;
			}));
	}

}
