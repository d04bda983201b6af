import { type JSX, useState } from 'react'
import { FileTrigger } from 'react-aria-components/FileTrigger'
import { Button } from '../../components/button.tsx'
import { pageLanguage } from '../../lib/language.ts'
import { templateMessages as words } from '../../messages/templates.ts'
import { TemplateCard, type TemplateCardProps } from './template-card.tsx'
import { parseTemplate, type Template, TEMPLATE_BYTES_MAX } from './template-file.ts'

/** A template from a file of the user, shown as in the gallery before it is used. */
export function TemplateFromFile(props: Omit<TemplateCardProps, 'template'>): JSX.Element {
  const [chosen, setChosen] = useState<Template | 'too_large' | 'unreadable'>()
  const read = async (file: File): Promise<void> => {
    if (file.size > TEMPLATE_BYTES_MAX) return setChosen('too_large')
    setChosen(parseTemplate(await file.text(), pageLanguage()) ?? 'unreadable')
  }
  return (
    <div className="flex flex-col items-start gap-4">
      <FileTrigger
        acceptedFileTypes={['.json']}
        onSelect={(files) => {
          const file = files?.item(0)
          if (file) void read(file)
        }}
      >
        <Button isDisabled={props.isDisabled}>{words.chooseFile}</Button>
      </FileTrigger>
      {typeof chosen === 'string' ? (
        <p role="alert" className="text-body text-danger">
          {chosen === 'too_large' ? words.tooLarge : words.notATemplate}
        </p>
      ) : null}
      {typeof chosen === 'object' ? (
        <ul className="w-full max-w-md">
          <TemplateCard template={chosen} {...props} />
        </ul>
      ) : null}
    </div>
  )
}
