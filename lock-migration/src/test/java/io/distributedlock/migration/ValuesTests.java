package io.distributedlock.migration;

import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

import static org.assertj.core.api.Assertions.assertThat;

class ValuesTests {

	private static final String CODE = """
			class Code {
			    static final String ORDERS = "orders";
			    static final String ORDER = "order:";
			    static final String SELF = Code.SELF + "x";
			    static final long LEASE = 30;
			    static final long NONE = -1;
			    long changed = 30;
			    String prefix;
			    Code(String prefix) {
			        this.prefix = prefix;
			    }
			    void run(long id, String name, Names names, Code code) {
			        String key = "order:" + id;
			        one(%s);
			        other(%s);
			        new Code("bill:").of("7");
			    }
			    static String order(long id) {
			        return ORDER + id;
			    }
			    private String of(String id) {
			        return "orders:" + id;
			    }
			    static void one(Object key) {
			    }
			    static void other(Object key) {
			    }
			}
			interface Names {
			    String of(long id);
			}
			""";

	private final RedissonRun run = new RedissonRun();

	private Expression one;

	private Expression other;

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "ORDERS | `\"orders\"`", "`\"orders\"` | `(\"orders\")`",
					"`\"order:\" + id` | `\"order:\" + (id + 1)`", "`\"order:1\"` | order(id)",
					"`String.format(\"order:%d\", id)` | Code.ORDER.concat(name)",
					"`\"order:%d\".formatted(id)` | `Code.ORDER + 1`", "key | `\"order:\" + 5 + id`",
					"`name + \"/order\"` | `name+\"/order\"`", "`code.of(\"7\")` | `\"orders:7\"`",
					"`id > 0 ? \"a\" : name` | `(\"a\")`", "names.of(1) | names.of(2)",
					"`code.prefix + id` | `\"bill:5\"`", "SELF | SELF", "`\"a\" + 'b'` | `\"ab\"`" })
	void textsThatMayBeEqualMeet(String first, String second) {
		assertThat(meet(first, second)).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "`\"orders\"` | `\"order\"`", "`\"order:\" + id` | `\"refund:\" + id`", "order(id) | ORDERS",
					"name | names.of(1)", "name | `\"orders\"`", "`code.of(\"7\")` | `\"orders:8\"`",
					"`code.prefix + id` | `\"order:\" + id`" })
	void textsThatDifferDoNotMeet(String first, String second) {
		assertThat(meet(first, second)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "30, 30", "-1, -1", "LEASE, 30", "Code.NONE, -1", "changed,", "id," })
	void numberIsThatOfAConstant(String expression, Long expected) {
		parse(expression, "1");
		assertThat(this.run.values.number(this.one)).isEqualTo(expected);
	}

	private boolean meet(String first, String second) {
		parse(first, second);
		Set<KnownText> others = this.run.values.texts(this.other);
		return this.run.values.texts(this.one)
			.stream()
			.anyMatch((text) -> others.stream().anyMatch((found) -> text.mayEqual(found) && found.mayEqual(text)));
	}

	private void parse(String first, String second) {
		ExecutionContext context = new InMemoryExecutionContext();
		SourceFile code = JavaParser.fromJavaVersion()
			.build()
			.parse(context, CODE.formatted(first, second))
			.findFirst()
			.orElseThrow();
		new RedissonScan(this.run).visit(code, context);
		new JavaIsoVisitor<ExecutionContext>() {
			@Override
			public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext context) {
				if (call.getSimpleName().equals("one")) {
					ValuesTests.this.one = call.getArguments().get(0);
				}
				if (call.getSimpleName().equals("other")) {
					ValuesTests.this.other = call.getArguments().get(0);
				}
				return super.visitMethodInvocation(call, context);
			}
		}.visit(code, context);
	}

}
