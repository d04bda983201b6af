import react from '@vitejs/plugin-react'
import { holdfast } from 'holdfast/vite'
import { defineConfig } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'

export default defineConfig({
  plugins: [
    react(),
    // Runs the server with `vite dev`, and writes the types of the database again after each migration.
    holdfast({ types: 'src/database.types.ts' }),
    // The rows are on the device; this keeps the app's own files there, so that it starts without a network.
    VitePWA({
      registerType: 'autoUpdate',
      injectRegister: 'script',
      manifest: { name: 'Notes', short_name: 'Notes', theme_color: '#0f5c4d', background_color: '#f6f7f5' },
      workbox: { globPatterns: ['**/*.{html,css,js,wasm}'], maximumFileSizeToCacheInBytes: 5_000_000 },
    }),
  ],
  optimizeDeps: { exclude: ['@powersync/web'] }, // pre-bundling would lose its worker and its SQLite
  worker: { format: 'es' },
})
