import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The address of the repository, as the root pom.xml has it. */
export const address = fs.readFileSync(path.join(root, 'pom.xml'), 'utf8')
  .match(/<repository\.address>\s*(.+?)\s*<\/repository\.address>/)[1]

/** What `mvn javadoc:aggregate` makes. */
export const javadoc = path.join(root, 'target/reports/apidocs')
