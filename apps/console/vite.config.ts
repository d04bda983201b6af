import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compileMessages } from '../workspace/compile-messages.ts'
import { englishTexts } from '../workspace/english-texts.ts'

const SERVER = process.env['HOLDFAST_SERVER'] ?? 'http://127.0.0.1:54321'
const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  base: '/console/',
  plugins: [englishTexts, compileMessages(), react(), tailwindcss()],
  resolve: {
    // Imported from source, as in the workspace app.
    alias: {
      '@holdfast/protocol': source('../../platform/protocol/src/index.ts'),
      '@holdfast/workspace': source('../workspace/src/components/shared.ts'),
    },
    dedupe: ['react', 'react-dom'],
  },
  build: {
    target: ['chrome123', 'edge123', 'firefox128', 'safari17.5'],
    sourcemap: true,
    modulePreload: { polyfill: false },
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: { port: 5174, proxy: { '/console/v1': { target: SERVER, changeOrigin: false } } },
})
