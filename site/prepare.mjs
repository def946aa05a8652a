// Copies docs/ to target/pages, with README.md as the home page. Fails if a page is not in the sidebar.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './.vitepress/repository.mjs'
import { groups } from './.vitepress/sidebar.mjs'

const docs = path.join(root, 'docs')
const pages = fileURLToPath(new URL('target/pages', import.meta.url))

const listed = Object.values(groups).flat().map((page) => `${page}.md`)
const present = fs.readdirSync(docs, { recursive: true })
  .map((file) => file.split(path.sep).join('/'))
  .filter((file) => file.endsWith('.md'))
const faults = [
  ...present.filter((page) => !listed.includes(page)).map((page) => `docs/${page} is in no group: add it`),
  ...listed.filter((page) => !present.includes(page)).map((page) => `docs/${page} does not exist: remove it`)
]
if (faults.length > 0) {
  console.error(`The sidebar, site/.vitepress/sidebar.mjs, does not fit the pages.\n${faults.join('\n')}`)
  process.exit(1)
}
fs.rmSync(pages, { recursive: true, force: true })
fs.cpSync(docs, pages, { recursive: true })
fs.copyFileSync(path.join(root, 'README.md'), path.join(pages, 'index.md'))
