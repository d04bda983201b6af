import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { inertAfterPaint } from './app/inert-after-paint.ts'
import { registerServiceWorker } from './app/register-service-worker.ts'
import { start } from './app/start.ts'
import { loadTexts } from './lib/data/load-texts.ts'
import { trustOwnScripts } from './app/trusted-types.ts'
import { takeArrival } from './lib/auth/arrival.ts'
import { takeWelcomeKey } from './lib/auth/welcome-key.ts'
import './styles/app.css'

trustOwnScripts()
takeArrival()
takeWelcomeKey()
const started = start()
registerServiceWorker().catch((error: unknown) => {
  console.warn('The service worker was not registered; the app needs a connection to start.', error)
})

function render(): void {
  const root = document.querySelector<HTMLElement>('#root')
  if (!root) throw new Error('index.html has no #root')
  inertAfterPaint(root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}

// The database opens in a worker of its own, at the same time as this page renders; after the first render, it would begin later by as long as that takes.
const loading = loadTexts()
if (loading === undefined && started === undefined) render()
else void Promise.allSettled([loading, started]).then(render)
