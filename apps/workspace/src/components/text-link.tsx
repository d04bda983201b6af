import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, JSX, Ref } from 'react'
import { cx } from '../lib/cx.ts'

type AnchorProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly ref?: Ref<HTMLAnchorElement> }

export const textLinkClass =
  'inline-flex items-center rounded-sm font-medium text-accent underline decoration-accent/40 underline-offset-3 hover:decoration-accent coarse:min-h-11'

/** A link among words, to another screen. */
export const TextLink = createLink(function TextAnchor({ className, ...rest }: AnchorProps): JSX.Element {
  return <a {...rest} className={cx(textLinkClass, className)} />
})
