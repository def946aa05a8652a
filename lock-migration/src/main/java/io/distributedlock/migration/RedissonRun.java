package io.distributedlock.migration;

import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;

/**
 * The facts about all files of a run that decide about each of them: the types that take
 * a client from others, and the keys of files that stay on Redisson. A lock of Redisson
 * does not exclude one with the same key here, so files with a key in common are changed
 * together or not at all.
 */
final class RedissonRun {

	/** Types that code constructs with a client: their constructors have to stay. */
	final Set<String> constructed = new HashSet<>();

	final Values values = new Values();

	private final Map<Path, LockFile> files = new TreeMap<>();

	/** The texts of the keys of a file, once all files are known. */
	private final Map<Path, Set<KnownText>> texts = new HashMap<>();

	private @Nullable Set<Path> staying;

	/**
	 * Add a file with locks.
	 * @param clientTypes the types that cannot be changed if others construct them
	 */
	void add(Path path, boolean isInTheWay, Set<String> clientTypes, Collection<Expression> keys) {
		this.files.put(path, new LockFile(isInTheWay, clientTypes, List.copyOf(keys)));
	}

	/** Return another file that stays on Redisson with a key that may be this one. */
	@Nullable Path stayingWith(Path own, Expression key) {
		Set<KnownText> texts = this.values.texts(key);
		return staying().stream()
			.filter((path) -> !path.equals(own) && meets(texts, texts(path)))
			.findFirst()
			.orElse(null);
	}

	/** A file that shares a key with one that stays has to stay as well, and so on. */
	private Set<Path> staying() {
		Set<Path> found = this.staying;
		if (found == null) {
			found = new TreeSet<>();
			this.staying = found;
			for (Map.Entry<Path, LockFile> file : this.files.entrySet()) {
				if (file.getValue().stays(this.constructed)) {
					addWithNeighbours(file.getKey(), found);
				}
			}
		}
		return found;
	}

	private void addWithNeighbours(Path path, Set<Path> found) {
		if (found.add(path)) {
			Set<KnownText> texts = texts(path);
			this.files.keySet()
				.stream()
				.filter((other) -> meets(texts, texts(other)))
				.forEach((other) -> addWithNeighbours(other, found));
		}
	}

	private Set<KnownText> texts(Path path) {
		return this.texts.computeIfAbsent(path,
				(file) -> Objects.requireNonNull(this.files.get(file)).keys.stream()
					.flatMap((key) -> this.values.texts(key).stream())
					.collect(Collectors.toSet()));
	}

	private static boolean meets(Set<KnownText> one, Set<KnownText> other) {
		return one.stream().anyMatch((text) -> other.stream().anyMatch(text::mayEqual));
	}

	private record LockFile(boolean isInTheWay, Set<String> clientTypes, List<Expression> keys) {

		boolean stays(Set<String> constructed) {
			return this.isInTheWay || this.clientTypes.stream().anyMatch(constructed::contains);
		}

	}

}
