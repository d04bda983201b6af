import type { JSX } from 'react'
import { StateGlyph } from '../../../components/state-glyph.tsx'
import type { GlyphName } from '../../../lib/glyph-name.ts'
import { lookMessages as words } from '../../../messages/look.ts'
import type { ToneLooks } from '../grid-dress.ts'
import type { Tone } from './view-looks.ts'

function looksOf(tone: Tone, name: GlyphName, fill: string, text: string): ToneLooks {
  const word = words.tones[tone]
  return {
    word,
    fill,
    glyph: <ToneGlyph name={name} text={text} />,
    labelled: <ToneGlyph name={name} text={text} label={word} />,
  }
}

/** The shape of a tone, so that marks do not rely on colour alone. */
function ToneGlyph({
  name,
  text,
  label,
}: {
  readonly name: GlyphName
  readonly text: string
  readonly label?: string
}): JSX.Element {
  return (
    <span className={text} title={label}>
      <StateGlyph name={name} size={13} {...(label === undefined ? {} : { label })} />
    </span>
  )
}

export const TONE_LOOKS: Readonly<Record<Tone, ToneLooks>> = {
  danger: looksOf('danger', 'octagon', 'bg-danger-soft', 'text-danger'),
  warning: looksOf('warning', 'shield', 'bg-warning-soft', 'text-warning'),
  success: looksOf('success', 'check', 'bg-success-soft', 'text-success'),
  info: looksOf('info', 'question', 'bg-info-soft', 'text-info'),
}
