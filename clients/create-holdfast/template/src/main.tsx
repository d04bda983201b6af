import { HoldfastProvider, WhenOpen } from '@holdfast/react'
import { createRoot } from 'react-dom/client'
import { Account } from './account.tsx'
import { client } from './client.ts'
import { NeedsAttention } from './needs-attention.tsx'
import { Notes } from './notes.tsx'
import { Toolbar } from './toolbar.tsx'
import './style.css'

createRoot(document.querySelector('#app') ?? document.body).render(
  <HoldfastProvider client={client}>
    <WhenOpen otherwise={(state) => <Account state={state} />}>
      <Toolbar />
      <main>
        <NeedsAttention />
        <Notes />
      </main>
    </WhenOpen>
  </HoldfastProvider>,
)
