import fs from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitepress'
import { markdown } from './markdown.mjs'
import { address, javadoc } from './repository.mjs'
import { sidebar } from './sidebar.mjs'

const name = path.posix.basename(address)
const hasJavadoc = fs.existsSync(path.join(javadoc, 'index.html'))

export default defineConfig({
  title: name,
  description: 'A distributed lock for Spring Boot, stored in Redis',
  lang: 'en',
  // GitHub Pages serves a repository below its name; the workflow sets what holds for the published site.
  base: process.env.SITE_BASE ?? `/${name}/`,
  srcDir: 'target/pages',
  cacheDir: 'target/cache',
  outDir: 'dist',
  ignoreDeadLinks: false,
  markdown,
  vite: { build: { assetsInlineLimit: 0 } },
  transformPageData: (page) => page.relativePath === 'index.md' ? { titleTemplate: ':title' } : {},
  buildEnd({ outDir }) {
    if (hasJavadoc) {
      fs.cpSync(javadoc, path.join(outDir, 'javadoc'), { recursive: true })
    }
  },
  themeConfig: {
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Configuration', link: '/configuration' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
      ...hasJavadoc ? [{ text: 'Javadoc', link: '/javadoc/index.html', target: '_self' }] : []
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: address }]
  }
})
