import fs from 'node:fs'
import path from 'node:path'
import { root } from './repository.mjs'

/** All pages of docs/. The build fails for a page that is missing here. */
export const groups = {
  Begin: ['quick-start', 'which-lock', 'own-aspect', 'migration', 'migration-recipes', 'shedlock', 'spring-integration'],
  Use: ['annotation', 'transactions', 'results', 'jobs', 'leader-election', 'fencing', 'testing', 'modes', 'api', 'weaving'],
  Run: ['operations', 'troubleshooting', 'topologies', 'managed-servers', 'redlock', 'postgresql', 'acl', 'configuration', 'observability', 'monitoring'],
  Understand: ['how-it-works', 'wire', 'reliability', 'performance', 'comparison', 'compatibility', 'architecture']
}

/** The groups with the titles of the pages. */
export function sidebar() {
  return Object.entries(groups).map(([text, pages]) => ({
    text,
    items: pages.map((page) => ({ text: title(page), link: `/${page}` }))
  }))
}

/** The first heading. VitePress takes it for HTML. */
function title(page) {
  const heading = fs.readFileSync(path.join(root, 'docs', `${page}.md`), 'utf8').match(/^# (.+)$/m)[1]
  return heading.replaceAll('`', '').replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
