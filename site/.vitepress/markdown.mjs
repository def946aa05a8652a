import fs from 'node:fs'
import path from 'node:path'
import { address, root } from './repository.mjs'

const OTHER_LINK = /^([a-z][a-z0-9+.-]*:|\/\/|#)/i

/**
 * Renders the pages as GitHub does: links are relative to the file in the repository, anchors are GitHub's, and
 * neither HTML nor braces mean anything to Vue.
 */
export const markdown = {
  html: false,
  attrs: { disable: true },
  anchor: { slugify },
  config(md) {
    md.disable('emoji')
    md.core.ruler.push('repository-links', rewriteLinks)
    const text = md.renderer.rules.text
    md.renderer.rules.text = (...token) => text(...token).replaceAll('{', '&#123;')
  }
}

function slugify(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
}

function rewriteLinks(state) {
  const page = state.env.relativePath
  for (const token of state.tokens.flatMap((block) => block.children ?? [])) {
    const attribute = { link_open: 'href', image: 'src' }[token.type]
    const target = attribute && token.attrGet(attribute)
    if (target && !OTHER_LINK.test(target)) {
      token.attrSet(attribute, rewrite(page, target, token.type === 'image'))
    }
  }
}

/** The target in the site, for pages and for images of docs/; else the one in the repository. */
function rewrite(page, target, image) {
  const [, link, rest] = target.match(/^([^?#]*)(.*)$/)
  const source = page === 'index.md' ? 'README.md' : `docs/${page}`
  const file = path.posix.join(path.posix.dirname(source), decodeURI(link))
  const found = fs.statSync(path.join(root, file), { throwIfNoEntry: false })
  if (!found || file.startsWith('..')) {
    throw new Error(`${source} has a dead link: ${target}`)
  }
  if (file.startsWith('docs/') && (image || file.endsWith('.md'))) {
    const relative = path.posix.relative(path.posix.dirname(page), file.slice('docs/'.length))
    return encodeURI(`./${relative}`) + rest
  }
  const view = image ? 'raw' : found.isDirectory() ? 'tree' : 'blob'
  return `${address}/${view}/main/${encodeURI(file)}${rest}`
}
