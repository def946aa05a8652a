package io.distributedlock.migration;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openrewrite.Recipe;
import org.openrewrite.config.Environment;
import org.openrewrite.test.RewriteTest;

import static org.assertj.core.api.Assertions.assertThat;

/** The recipes that a build finds in the jar. */
class RecipesTests implements RewriteTest {

	static Stream<Recipe> recipes() {
		return Environment.builder()
			.scanRuntimeClasspath("io.distributedlock.migration")
			.build()
			.listRecipes()
			.stream()
			.filter((recipe) -> recipe.getName().startsWith("io.distributedlock."));
	}

	@Test
	void eachLibraryHasOne() {
		assertThat(recipes().map(Recipe::getName).map((name) -> name.replace("io.distributedlock.migration.", "")))
			.filteredOn((name) -> name.startsWith("From"))
			.containsExactlyInAnyOrderElementsOf(List.of("FromShedLock", "FromLock4j", "FromKlock", "FromAlturkovic",
					"FromRedisson", "FromSpringIntegration"));
	}

	@ParameterizedTest
	@MethodSource("recipes")
	void recipeHasANameAndADescription(Recipe recipe) {
		validateRecipeNameAndDescription(recipe);
		assertThat(recipe.validateAll()).allMatch((found) -> found.isValid());
	}

}
