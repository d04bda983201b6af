import { type ComponentType, createElement, type JSX } from 'react'
import { createPortal } from 'react-dom'
import { isOnDevice } from '../lib/is-on-device.ts'
import { latePart, useLatePart } from '../lib/late-part.ts'
import { errorMessages } from '../messages/errors.ts'
import { Button } from './button.tsx'
import { Spinner } from './spinner.tsx'

/** A component whose code is loaded apart from its screen. */
export interface LateContent<Props extends object> {
  readonly Content: (props: Props) => JSX.Element | null
  /** Loads the code ahead of its use. */
  readonly preload: () => void
}

type Load<Props extends object> = () => Promise<ComponentType<Props>>

/** Content in its place on the screen. It reports that it is loading, and that it could not be loaded. */
export function lateContent<Props extends object>(load: Load<Props>): LateContent<Props> {
  return createLateContent(load, { loading: <Loading />, failed: <NotLoaded /> })
}

/** A dialog or panel over the screen. Nothing shows while it loads; a failure is reported over the screen. */
export function lateLayer<Props extends object>(load: Load<Props>): LateContent<Props> {
  return createLateContent(load, { loading: null, failed: <LayerNotLoaded /> })
}

/** An optional detail of a screen: absent until its code is here. */
export function lateDetail<Props extends object>(load: Load<Props>): LateContent<Props> {
  return createLateContent(load, { loading: null, failed: null })
}

/** Milliseconds before details load, so that the screen loads first; longer on a first visit, when everything comes over the network. */
const FIRST_MS = 1_000
const FIRST_VISIT_MS = 6_000

/** The delay for details that no first grid needs. */
export function firstVisitMs(): number {
  return isOnDevice() ? FIRST_MS : FIRST_VISIT_MS
}

/**
 * A {@link lateDetail} that loads once the screen has been painted and the browser is idle.
 *
 * @param firstMs - milliseconds before it may load
 */
export function lazyAfterPaint<Props extends object>(
  load: Load<Props>,
  firstMs: () => number = () => FIRST_MS,
): (props: Props) => JSX.Element | null {
  return lateDetail<Props>(async () => {
    await painted(firstMs())
    return load()
  }).Content
}

/** What stands in for the content until it is here. A failed load is repeated meanwhile ({@link useLatePart}). */
function createLateContent<Props extends object>(
  load: Load<Props>,
  { loading, failed }: { readonly loading: JSX.Element | null; readonly failed: JSX.Element | null },
): LateContent<Props> {
  const late = latePart(load)
  return {
    Content(props) {
      const { part, hasFailed } = useLatePart(late, true)
      if (part) return createElement(part, props)
      return hasFailed ? failed : loading
    },
    preload: late.preload,
  }
}

function painted(firstMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(() => {
      // Safari has no requestIdleCallback.
      if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve())
      else resolve()
    }, firstMs)
  })
}

function Loading(): JSX.Element {
  return (
    <p role="status" className="flex items-center gap-2 p-3 text-body text-muted">
      <Spinner size={14} /> {errorMessages.partLoading}
    </p>
  )
}

/** Offers a reload, because some browsers cache the failure of a script until then. */
function NotLoaded(): JSX.Element {
  return (
    <div role="alert" className="flex flex-col items-start gap-3">
      <p className="text-body">{errorMessages.partNotLoaded}</p>
      <Button size="sm" onPress={() => location.reload()}>
        {errorMessages.reload}
      </Button>
    </div>
  )
}

/** In place of a layer whose code could not be loaded; closing the layer removes it. */
export function LayerNotLoaded(): JSX.Element {
  return createPortal(
    <div className="fixed inset-x-4 bottom-16 z-50 mx-auto max-w-lg rounded-lg border border-border bg-raised p-4 text-text shadow-popover tablet:bottom-6">
      <NotLoaded />
    </div>,
    document.body,
  )
}
