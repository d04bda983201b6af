import { useUnsent } from '@holdfast/react'
import { type JSX, useState } from 'react'
import { useStore } from 'zustand'
import { lateLayer, LayerNotLoaded } from '../../components/late-content.tsx'
import { Logo } from '../../components/logo.tsx'
import { KeysMeanwhile } from '../../lib/keys-meanwhile.tsx'
import { latePart, useLatePart } from '../../lib/late-part.ts'
import { useWorkspaceName } from '../../lib/records/use-workspace.ts'
import { shellMessages as words } from '../../messages/shell.ts'
import type { Layer, OpenLayer } from './layer.ts'
import { Navigation, type NavigationProps } from './side-bar.tsx'

const drawerCode = latePart(async () => await import('../../components/drawer.tsx'))
const paletteCode = latePart(async () => await import('./palette.tsx'))
export const preloadPalette = paletteCode.preload
const { Content: ShortcutsDialog } = lateLayer(async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog)
const { Content: SignOutDialog } = lateLayer(async () => (await import('./sign-out-dialog.tsx')).SignOutDialog)

interface LayersProps {
  readonly openLayer: OpenLayer
  readonly navigation: NavigationProps
}

/** The overlays: navigation in narrow windows, the palette and the shell's dialogs. */
export function Layers({ openLayer, navigation }: LayersProps): JSX.Element {
  const { store, set: onLayer } = openLayer
  const { layer } = useStore(store)
  const unsent = useUnsent()
  const close = (): void => onLayer(undefined)
  return (
    <>
      {layer === 'drawer' ? <NavigationDrawer navigation={navigation} onClose={close} /> : null}
      {layer === 'palette' ? <LatePalette navigation={navigation} onLayer={onLayer} /> : null}
      {layer === 'shortcuts' ? <ShortcutsDialog isOpen onClose={close} /> : null}
      {layer === 'sign-out' ? <SignOutDialog onClose={close} {...unsent} /> : null}
    </>
  )
}

function NavigationDrawer({
  navigation,
  onClose,
}: {
  readonly navigation: NavigationProps
  readonly onClose: () => void
}): JSX.Element | null {
  const name = useWorkspaceName()
  const { part, hasFailed } = useLatePart(drawerCode, true)
  if (!part) return hasFailed ? <LayerNotLoaded /> : null
  return (
    <part.Drawer label={words.mainNavigation} side="left" isOpen onClose={onClose}>
      <div className="flex h-12 shrink-0 items-center gap-2 border-b border-border px-4 font-semibold">
        <span className="flex text-accent">
          <Logo size={20} />
        </span>
        {name}
      </div>
      <Navigation {...navigation} onFollow={onClose} />
    </part.Drawer>
  )
}

/** Loads the palette when it first opens. Keys typed before it arrives are passed on to it. */
function LatePalette(props: {
  readonly navigation: NavigationProps
  readonly onLayer: (layer: Layer | undefined) => void
}): JSX.Element {
  const { part, hasFailed } = useLatePart(paletteCode, true)
  const [typed, setTyped] = useState('')
  if (part) return <part.Palette {...props} typed={typed} />
  if (hasFailed) return <LayerNotLoaded />
  return <KeysMeanwhile onText={setTyped} onCancel={() => props.onLayer(undefined)} />
}
