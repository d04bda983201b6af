import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type HtmlTagDescriptor, type PluginOption } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'
import { compileMessages } from './compile-messages.ts'
import { englishTexts } from './english-texts.ts'

/** Paths that the server answers; in development they are proxied to its default address. */
const SERVER_PATHS = ['/auth/v1', '/rest/v1', '/sync/', '/write-checkpoint2.json', '/health', '/app/v1']
const SERVER = process.env['HOLDFAST_SERVER'] ?? 'http://127.0.0.1:54321'

/** The policy the server sends with the app's files; the preview sends it too, so that a breach shows before the server runs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
].join('; ')

const proxy = {
  ...Object.fromEntries(SERVER_PATHS.map((path) => [path, { target: SERVER, changeOrigin: false }])),
  '/realtime/v1': { target: SERVER, changeOrigin: false, ws: true },
}
const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** SQLite's files in the page's own bundle. The app runs SQLite only in its worker, which has copies. */
const pageCopies = new Set<string>()

const findPageCopies: PluginOption = {
  name: 'find-page-copies',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (
        file.type === 'chunk' &&
        file.moduleIds.length > 0 &&
        file.moduleIds.every((id) => id.includes('/wa-sqlite/'))
      )
        pageCopies.add(file.fileName)
    }
  },
}

/** What the first screens load, in this order; a user who is still signing in then has it in the browser's cache. */
const FIRST_FILES =
  /(^index\.html$|\/(index|password|first|database|signed-in-layout|home-screen|table-route)-|worker-|wa-sqlite-|VFS-)/

function inOrderOfUse<Entry extends { readonly url: string }>(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((a, b) => Number(FIRST_FILES.test(b.url)) - Number(FIRST_FILES.test(a.url)))
}

const pwa: PluginOption = VitePWA({
  strategies: 'injectManifest',
  srcDir: 'src',
  filename: 'service-worker.ts',
  // The app registers it itself (src/app/register-service-worker.ts), because a new version waits for the user's consent.
  injectRegister: false,
  manifest: {
    id: '/',
    name: 'Holdfast',
    short_name: 'Holdfast',
    description: 'Your tables, on this device, in step with Postgres.',
    start_url: '/',
    scope: '/',
    display: 'standalone',
    theme_color: '#0b6b68',
    background_color: '#f6f8f8',
    icons: [
      { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
      { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
  },
  injectManifest: {
    globPatterns: ['**/*.{html,js,mjs,css,wasm,woff2,svg,png,webmanifest}', '**/map-land-*.txt'],
    // Not used: encrypted builds of SQLite, 2 MB each; the package's worker, because the app has its own; other stores of SQLite than those in
    // src/lib/data/choose-store.ts; sync over WebSockets.
    globIgnores: ['mc-wa-sqlite*', 'worker-*.js', 'OPFSWriteAheadVFS-*', 'AccessHandlePoolVFS-*', 'websockets-*'].map(
      (name) => `**/${name}`,
    ),
    manifestTransforms: [
      (entries) => ({
        manifest: inOrderOfUse(entries.filter(({ url }) => !pageCopies.has(url))),
        warnings: [],
      }),
    ],
    maximumFileSizeToCacheInBytes: 4 * 1024 * 1024,
    rollupFormat: 'iife',
    target: 'es2022',
  },
})

/** Modules that open the local database, needed by every screen of a signed-in user and no other. */
const DATABASE = [
  source('../../clients/client/src/local/local-database.ts'),
  source('../../clients/client/src/search/open-search.ts'),
  source('src/lib/data/open-database.ts'),
]

/** Scripts needed by every screen with a local database, by the modules that start them. theme.js loads them immediately for signed-in users. */
const FIRST_PARTS = [
  source('src/app/shell/signed-in-layout.tsx'),
  source('src/app/routes/table-route.tsx'),
  ...DATABASE,
]

/** What the worker with the local database loads in most browsers. */
const WORKER = /\/(database\.worker|OPFSCoopSyncVFS|FacadeVFS|wa-sqlite(?!-async))-[^/]+\.(js|wasm)$/

const firstParts: PluginOption = {
  name: 'first-parts',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
      const found = new Set<string>()
      const add = (fileName: string): void => {
        const chunk = chunks.find((one) => one.fileName === fileName)
        if (!chunk || chunk.isEntry || found.has(fileName)) return
        found.add(fileName)
        for (const other of chunk.imports) add(other)
      }
      for (const { fileName, facadeModuleId } of chunks) {
        if (facadeModuleId && FIRST_PARTS.includes(facadeModuleId)) add(fileName)
      }
      const worker = Object.values(bundle).filter(({ type, fileName }) => type === 'asset' && WORKER.test(fileName))
      // Placed before theme.js, which reads them.
      const meta = (name: string, fileNames: readonly string[]): HtmlTagDescriptor => {
        const content = fileNames.map((fileName) => `/${fileName}`).join(' ')
        return { tag: 'meta', attrs: { name, content }, injectTo: 'head-prepend' }
      }
      return found.size === 0
        ? html
        : [
            meta('first-parts', [...found]),
            meta(
              'worker-parts',
              worker.map(({ fileName }) => fileName),
            ),
          ]
    },
  },
}

/** What a first visit loads, in order: until the user can enter an address, then a password, and until the first rows of a table. */
const STAGES = [
  ['index', ['main.tsx', 'features/sign-in/sign-in-screen.tsx']],
  ['password', ['features/sign-in/password-screen.tsx']],
  ['first', ['app/shell/signed-in-layout.tsx', 'features/home/home-screen.tsx', 'app/routes/table-route.tsx']],
] as const

/** Returns the names of the icons that modules import, as `bell.mjs`: a single file of the library exports all of them, so that the graph does not tell. */
function iconsOf(modules: ReadonlySet<string>): Set<string> {
  const texts = [...modules].filter((id) => /\.tsx?$/.test(id)).map((id) => readFileSync(id, 'utf8'))
  const lists = texts.flatMap((text) =>
    [...text.matchAll(/import \{([^}]*)\} from 'lucide-react'/g)].map(([, list = '']) => list),
  )
  const words = lists.flatMap((list) => list.split(',')).map((name) => name.trim().replace(/ as .*$/, ''))
  return new Set(words.map((name) => `${name.replaceAll(/(?<=[a-z])(?=[A-Z0-9])/g, '-').toLowerCase()}.mjs`))
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null
}

type ImportsOf = (id: string) => readonly string[]

/** Returns the ids of the modules that `modules` import, directly and indirectly, except those that `isWanted` rejects. */
function closureOf(modules: readonly string[], importsOf: ImportsOf, isWanted: (id: string) => boolean): Set<string> {
  const found = new Set<string>()
  const todo = [...modules]
  for (let id = todo.pop(); id !== undefined; id = todo.pop()) {
    if (found.has(id) || !isWanted(id)) continue
    found.add(id)
    todo.push(...importsOf(id))
  }
  return found
}

let stages: readonly (readonly [name: string, modules: ReadonlySet<string>])[] | undefined

/**
 * Assigns modules to one file per stage of the first visit, and one for the local database. By default the bundler creates a file per set of screens that
 * share modules: every new screen then splits the first files into more and smaller ones, which compress worse and cost a request each.
 */
function stageOf(id: string, importsOf: ImportsOf): string | null {
  stages ??= [
    ...STAGES.map(([name, screens]) => {
      const own = screens.map((screen) => source(`src/${screen}`))
      const modules = closureOf(own, importsOf, (one) => one.startsWith(source('src/')))
      return [name, modules.union(iconsOf(modules))] as const
    }),
    [
      'database',
      closureOf(DATABASE, importsOf, () => true).difference(closureOf([source('src/main.tsx')], importsOf, () => true)),
    ],
  ]
  const [, icon] = /[\\/]lucide-react[\\/].*[\\/]icons[\\/]([^\\/]+)$/.exec(id) ?? []
  return stages.find(([, modules]) => modules.has(icon ?? id))?.[0] ?? null
}

export default defineConfig({
  plugins: [englishTexts, compileMessages(), react(), tailwindcss(), firstParts, findPageCopies, pwa],
  resolve: {
    // The repository's packages are imported from source. The export condition `source` cannot be used, because react-aria-components declares it without
    // publishing the files.
    alias: {
      '@holdfast/client': source('../../clients/client/src/index.ts'),
      '@holdfast/react': source('../../clients/react/src/index.ts'),
      '@holdfast/protocol': source('../../platform/protocol/src/index.ts'),
      // Replaces 6 kB on the first screen that the app never calls.
      '@supabase/postgrest-js': source('src/lib/data/unused-services.ts'),
      '@supabase/functions-js': source('src/lib/data/unused-services.ts'),
      // The worker before bundling, so that there is one copy of SQLite's wasm instead of two.
      '@powersync/web/bundled_worker': fileURLToPath(
        new URL('worker/worker.js', import.meta.resolve('@powersync/web')),
      ),
    },
    dedupe: ['react', 'react-dom', '@powersync/common', '@powersync/shared-internals', '@powersync/web'],
  },
  worker: { format: 'es', rolldownOptions: { checks: { bundlerTimings: false } } },
  // Pre-bundling would break the URLs of the worker and its wasm.
  optimizeDeps: { exclude: ['@powersync/web', '@journeyapps/wa-sqlite'] },
  build: {
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    sourcemap: true,
    modulePreload: { polyfill: false },
    // MapLibre is published as a single file.
    chunkSizeWarningLimit: 1_200,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      output: {
        codeSplitting: {
          groups: [
            ...['index', 'password', 'first', 'database'].map((stage, index) => ({
              debugName: stage,
              name: (id: string, context: ModuleGraph) =>
                stageOf(id, (one) => context.getModuleInfo(one)?.importedIds ?? []) === stage ? stage : null,
              // Modules needed by one screen stay with it.
              minShareCount: stage === 'first' ? 2 : 1,
              priority: 4 - index,
            })),
            // Devices download every file, with one request each.
            { name: 'icons', test: /[\\/]lucide-react[\\/]/, minShareCount: 2, priority: 0 },
          ],
        },
      },
    },
  },
  server: { port: 5173, strictPort: false, proxy },
  preview: { proxy, headers: { 'content-security-policy': CONTENT_SECURITY_POLICY } },
})
