package io.distributedlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.jspecify.annotations.NullMarked;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dependencies that each package may have, and calls that no main code may make.
 */
@AnalyzeClasses(packages = "io.distributedlock", importOptions = ArchitectureTests.OnlyThisLibrary.class)
class ArchitectureTests {

	private static final String ROOT = "io.distributedlock";

	/**
	 * The allowed dependencies, as the page of the architecture has them. A package that
	 * is not there may not exist. Text that stands two spaces behind them is a remark.
	 */
	private static final Pattern ROW = Pattern
		.compile("^([a-z.·]+(?:, [a-z.·]+)*) +→ ([a-z.·]+(?: [a-z.·]+)*)(?:  .*)?$");

	private static final Pattern MODULE = Pattern.compile("/(lock-[a-z-]+)/target/");

	private static final int MOST_PARAMETERS = 6;

	/** Plain data: the records that may have more than six components, and the reason. */
	private static final Map<String, String> DATA = Map.ofEntries(
			Map.entry("autoconfigure.DistributedLockProperties", "bound by Spring Boot"),
			Map.entry("autoconfigure.DistributedLockProperties$Postgresql", "bound by Spring Boot"),
			Map.entry("autoconfigure.DistributedLockProperties$Profile", "bound by Spring Boot"),
			Map.entry("autoconfigure.DistributedLockProperties$Redis", "bound by Spring Boot"),
			Map.entry("LockOptions", "the settings of a profile"),
			Map.entry("event.LockEvent$Lost", "all that listeners read of a loss"),
			Map.entry("store.AcquireCommand", "all that a store needs, as one object"),
			Map.entry("store.AcquireOutcome$Busy", "all that a store says, as one object"),
			Map.entry("HeldLock", "all that is said of it"), Map.entry("WaitingCaller", "all that is said of it"),
			Map.entry("LockInspection", "all that is said of it"), Map.entry("LostLock", "all that is said of it"),
			Map.entry("engine.internal.lease.RenewalHistory", "a part of a grant"),
			Map.entry("actuate.LocksDescriptor$Lost", "all that is shown of a loss"));

	private static Map<String, Set<String>> table() {
		Map<String, Set<String>> table = new HashMap<>();
		for (String line : lines(Path.of("../../docs/architecture.md"))) {
			Matcher row = ROW.matcher(line);
			if (row.matches()) {
				Set<String> allowed = Stream.of(row.group(2).split(" "))
					.filter((name) -> !name.equals("nothing"))
					.map(ArchitectureTests::withoutDot)
					.collect(Collectors.toSet());
				for (String name : row.group(1).split(", ")) {
					table.put(withoutDot(name), allowed);
				}
			}
		}
		return table;
	}

	private static String withoutDot(String name) {
		return name.equals("·") ? "" : name;
	}

	private static List<String> lines(Path file) {
		try {
			return Files.readAllLines(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A thread that is made in a call would inherit the identity of its caller. */
	@ArchTest
	void threadsInheritNothingOfTheirCallers(JavaClasses classes) {
		noClasses().should().callConstructorWhere(new DescribedPredicate<>("a thread takes over what its creator has") {
			@Override
			public boolean test(JavaConstructorCall call) {
				int arguments = call.getTarget().getRawParameterTypes().size();
				return (call.getTargetOwner().isEquivalentTo(Thread.class) && arguments < 5)
						|| (call.getTargetOwner().isAssignableTo(ThreadPoolExecutor.class) && call.getTarget()
							.getRawParameterTypes()
							.stream()
							.noneMatch((type) -> type.isAssignableTo(ThreadFactory.class)));
			}
		}).check(classes);
	}

	/** Before JDK 21 a poll with a time-out may spin without end (JDK-8301341). */
	@ArchTest
	void queuesKeepTheTimeOutsOfPolls(JavaClasses classes) {
		noClasses().should().dependOnClassesThat().areAssignableTo(LinkedTransferQueue.class).check(classes);
	}

	/**
	 * Taken under a monitor it can pin all carriers of virtual threads on JDK 21 to 23.
	 */
	@ArchTest
	void engineHasMonitorsOnly(JavaClasses classes) {
		noClasses().that()
			.resideInAPackage(fullName("engine") + "..")
			.should()
			.dependOnClassesThat()
			.areAssignableTo(ReentrantLock.class)
			.check(classes);
	}

	@ArchTest
	void packagesWhenListedDependOnlyOnWhatTheTableAllows(JavaClasses classes) {
		table().forEach((name, allowed) -> {
			String[] packages = Stream.concat(Stream.of(name), allowed.stream())
				.map(ArchitectureTests::fullName)
				.toArray(String[]::new);
			DescribedPredicate<JavaClass> foreign = DescribedPredicate.not(resideInAPackage(ROOT + ".."));
			classes().that()
				.resideInAPackage(fullName(name))
				.should()
				.onlyDependOnClassesThat(foreign.or(resideInAnyPackage(packages)))
				.allowEmptyShould(true)
				.check(classes);
		});
	}

	@ArchTest
	void packagesWhenListedExist(JavaClasses classes) {
		assertThat(table().keySet()).hasSizeGreaterThan(10)
			.allSatisfy((name) -> assertThat(classes).extracting(JavaClass::getPackageName).contains(fullName(name)));
	}

	@ArchTest
	void packagesWhenTheyExistAreListed(JavaClasses classes) {
		assertThat(classes).extracting(JavaClass::getPackageName)
			.filteredOn((name) -> !name.startsWith(ROOT + ".autoconfigure"))
			.isSubsetOf(table().keySet().stream().map(ArchitectureTests::fullName).toList());
	}

	@ArchTest
	void packagesWhenTheyExistAreNullMarked(JavaClasses classes) {
		assertThat(classes).extracting(JavaClass::getPackage)
			.allSatisfy((found) -> assertThat(found.isAnnotatedWith(NullMarked.class)).as(found.getName()).isTrue());
	}

	@ArchTest
	void constructorsHaveFewParameters(JavaClasses classes) {
		List<String> data = DATA.keySet().stream().map(ArchitectureTests::fullName).toList();
		assertThat(constructors(classes, data)).isEmpty();
	}

	/**
	 * A record that is not there any more, or is short by now, is taken from the list.
	 */
	@ArchTest
	void recordsWithManyComponentsAreStillThere(JavaClasses classes) {
		assertThat(DATA.keySet()).allSatisfy((name) -> assertThat(constructors(classes, List.of()))
			.anyMatch((found) -> found.startsWith(fullName(name) + ":")));
	}

	/** The constructors with too many parameters, unless they are those of plain data. */
	private static List<String> constructors(JavaClasses classes, List<String> data) {
		return classes.stream()
			.filter((type) -> !type.isAnonymousClass() && !(type.isRecord() && data.contains(type.getName())))
			.flatMap((type) -> type.getConstructors().stream())
			.filter((constructor) -> parameters(constructor) > MOST_PARAMETERS)
			.map((constructor) -> constructor.getOwner().getName() + ": " + parameters(constructor))
			.toList();
	}

	/** Enum constants have their name and number in front. */
	private static int parameters(JavaConstructor constructor) {
		int all = constructor.getRawParameterTypes().size();
		return constructor.getOwner().isEnum() ? all - 2 : all;
	}

	/** Two artifacts with one package could not be modules of Java. */
	@ArchTest
	void packagesWhenTheyExistAreInOneModule(JavaClasses classes) {
		Map<String, Set<String>> modules = new TreeMap<>();
		classes.forEach(
				(type) -> modules.computeIfAbsent(type.getPackageName(), (name) -> new TreeSet<>()).add(module(type)));
		assertThat(modules).hasSizeGreaterThan(10).allSatisfy((name, places) -> assertThat(places).as(name).hasSize(1));
	}

	private static String module(JavaClass type) {
		String place = type.getSource().orElseThrow().getUri().toString();
		Matcher matcher = MODULE.matcher(place);
		assertThat(matcher.find()).as(place).isTrue();
		return matcher.group(1);
	}

	@ArchTest
	static final ArchRule packagesFormNoCycle = SlicesRuleDefinition.slices()
		.matching(ROOT + ".(*)..")
		.should()
		.beFreeOfCycles();

	@ArchTest
	static final ArchRule nothingDependsOnAutoconfigure = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".autoconfigure..");

	@ArchTest
	static final ArchRule diagnosticsKnowNothingOfTheWiring = noClasses().that()
		.resideInAPackage(ROOT + ".autoconfigure.diagnostics")
		.should()
		.dependOnClassesThat()
		.resideInAPackage(ROOT + ".autoconfigure");

	@ArchTest
	static final ArchRule onlyAutoconfigureKnowsSpringBoot = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".autoconfigure..", ROOT + ".actuate..")
		.should()
		.dependOnClassesThat()
		.resideInAPackage("org.springframework.boot..");

	/** Such a type is public for another package only. */
	@ArchTest
	void typesWhenPublicAndInternalAreUsedByAnotherPackage(JavaClasses classes) {
		assertThat(classes.stream().filter(ArchitectureTests::isPublicAndInternal)).isNotEmpty()
			.allSatisfy((type) -> assertThat(type.getDirectDependenciesToSelf()).as(type.getName())
				.anyMatch((use) -> !use.getOriginClass().getPackageName().equals(type.getPackageName())));
	}

	private static boolean isPublicAndInternal(JavaClass type) {
		return type.isTopLevelClass() && type.getPackageName().contains(".internal")
				&& type.getModifiers().contains(JavaModifier.PUBLIC);
	}

	/** Any application on the JVM can take these. */
	@ArchTest
	void coreQuorumAndBridgeKnowNoSpring(JavaClasses classes) {
		noClasses().that(new DescribedPredicate<JavaClass>("are in a module without Spring") {
			@Override
			public boolean test(JavaClass type) {
				return Set.of("lock-core", "lock-redlock", "lock-shedlock").contains(module(type));
			}
		})
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework..", "io.micrometer..", "reactor..")
			.check(classes);
	}

	@ArchTest
	static final ArchRule onlyTheRedisStoreKnowsRedis = noClasses().that()
		.resideOutsideOfPackages(ROOT + ".redis..", ROOT + ".guard..", ROOT + ".autoconfigure..")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.springframework.data.redis..", "io.lettuce..", "redis.clients..");

	@ArchTest
	static final ArchRule onlyItsDriverKnowsLettuce = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".redis.internal.lettuce")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("io.lettuce..", "org.springframework.data.redis.connection.lettuce..");

	@ArchTest
	static final ArchRule onlyItsDriverKnowsJedis = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".redis.internal.jedis")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("redis.clients..", "org.springframework.data.redis.connection.jedis..");

	@ArchTest
	static final ArchRule nothingSleeps = noClasses().should()
		.callMethod(Thread.class, "sleep", long.class)
		.orShould()
		.callMethod(Thread.class, "sleep", long.class, int.class)
		.orShould()
		.callMethod(TimeUnit.class, "sleep", long.class);

	@ArchTest
	static final ArchRule nothingAsksTheWallClock = noClasses().that()
		.doNotHaveFullyQualifiedName("io.distributedlock.engine.internal.time.WallClock")
		.should()
		.callMethod(System.class, "currentTimeMillis")
		.orShould()
		.callMethod(Instant.class, "now")
		.orShould()
		.callConstructor(Date.class);

	@ArchTest
	static final ArchRule caseConversionNamesItsLocale = noClasses().should()
		.callMethod(String.class, "toLowerCase")
		.orShould()
		.callMethod(String.class, "toUpperCase");

	/**
	 * The package {@code text} escapes each line: see {@code DisplayText}. A data source
	 * only has to name the type of a logger.
	 */
	@ArchTest
	static final ArchRule onlyTextWritesToTheLog = noClasses().that()
		.resideOutsideOfPackage(ROOT + ".text")
		.and()
		.doNotHaveFullyQualifiedName(ROOT + ".autoconfigure.DriverConnections")
		.should()
		.dependOnClassesThat()
		.resideInAnyPackage("org.apache.commons.logging..", "org.slf4j..", "java.util.logging..");

	@ArchTest
	static final ArchRule nothingPrints = GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

	@ArchTest
	static final ArchRule nothingLogsToJavaUtilLogging = GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

	@ArchTest
	static final ArchRule namesSayWhatAClassIs = noClasses().should()
		.haveSimpleNameEndingWith("Util")
		.orShould()
		.haveSimpleNameEndingWith("Utils")
		.orShould()
		.haveSimpleNameEndingWith("Helper")
		.orShould()
		.haveSimpleNameEndingWith("Manager")
		.orShould()
		.haveSimpleNameEndingWith("Impl");

	private static String fullName(String name) {
		return name.isEmpty() ? ROOT : ROOT + "." + name;
	}

	/** The classes that are neither tests nor for tests. */
	static final class OnlyThisLibrary implements ImportOption {

		private static final List<String> OTHERS = List.of("/test-classes/", "io/distributedlock/embedded/",
				"io/distributedlock/test/");

		@Override
		public boolean includes(Location location) {
			return OTHERS.stream().noneMatch(location::contains);
		}

	}

}
