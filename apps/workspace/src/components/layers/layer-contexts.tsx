import type { JSX, ReactNode } from 'react'
import { OverlayTriggerStateContext } from 'react-aria-components/Dialog'
import { RootMenuTriggerStateContext } from 'react-aria-components/Menu'
import type { LayerLink } from './layer-trigger.tsx'

/** Provides layers with what the library's own triggers provide, without loading the layers with the control. */
export function LayerContexts({
  link,
  children,
}: {
  readonly link: LayerLink
  readonly children: ReactNode
}): JSX.Element {
  return (
    <OverlayTriggerStateContext value={link.state}>
      <RootMenuTriggerStateContext value={link.state}>{children}</RootMenuTriggerStateContext>
    </OverlayTriggerStateContext>
  )
}
