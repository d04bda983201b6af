import { resolve } from 'node:path'
import type { Plugin, ViteDevServer } from 'vite'
import { acquireBackend, type Backend, type BackendProblem } from './backend.ts'

/** Server settings of a project; others are in its `holdfast.config.json`. */
export interface HoldfastPluginOptions {
  /** The folder that contains `supabase`, relative to Vite's root. Default: that root. */
  readonly project?: string
  /** File for the database's generated TypeScript types, relative to the project. Default: none. */
  readonly types?: string
  /** Additional arguments for `holdfast dev`, such as `--port=54321`. */
  readonly args?: readonly string[]
}

/**
 * Runs Holdfast with `vite dev`. Provides its URL and keys to the app in `import.meta.env`: `VITE_SUPABASE_URL`, `VITE_SUPABASE_PUBLISHABLE_KEY` and
 * `VITE_SUPABASE_ANON_KEY`. Shows a failing migration as an overlay. Does nothing for `vite build`, `vite preview`, and tests.
 */
export function holdfast(options: HoldfastPluginOptions = {}): Plugin {
  let backend: Backend | undefined
  const release = (): void => {
    backend?.release()
    backend = undefined
  }
  return {
    name: 'holdfast',
    apply: (_config, { command, isPreview }) => command === 'serve' && !isPreview && !process.env['VITEST'],
    async config(config) {
      const folder = resolve(config.root ?? '.', options.project ?? '.')
      const types = options.types === undefined ? [] : [`--types=${options.types}`]
      backend = await acquireBackend(folder, [...types, ...(options.args ?? [])])
      // Before Vite reads its `.env` files, over which these variables take precedence.
      Object.assign(process.env, backend.environment)
      // The database changes its files constantly.
      return { server: { watch: { ignored: ['**/.holdfast/**'] } } }
    },
    configureServer(server) {
      const stop = backend?.onProblem((problem) => show(server, problem))
      const showAgain = (): void => {
        if (backend?.problem) show(server, backend.problem)
      }
      server.ws.on('connection', showAgain)
      const close = server.close.bind(server)
      server.close = async () => {
        stop?.()
        await close()
        release()
      }
    },
  }
}

/** Shows or hides an overlay over the page. */
function show(server: ViteDevServer, problem: BackendProblem | undefined): void {
  if (!problem) return server.ws.send({ type: 'full-reload' })
  const message = [problem.message, problem.detail, problem.hint].filter(Boolean).join('\n')
  server.ws.send({ type: 'error', err: { message, stack: '', plugin: 'holdfast' } })
}
