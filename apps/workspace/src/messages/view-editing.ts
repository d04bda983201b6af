import { inLanguages } from '../lib/texts.ts'

/** Texts for creating and editing views, loaded later than those that every table shows. */
export const viewEditingMessages = inLanguages('viewEditingMessages', {
  scopes: { personal: 'Only me', shared: 'Everyone', locked: 'Everyone, locked' },
  scopeDetails: {
    personal: 'Nobody else sees it.',
    shared: 'Members of teams can change it.',
    locked: 'Only leads of teams can change it.',
  },
  opensFirst: 'opens first',
  save: 'Save changes',
  discard: 'Discard changes',
  saveAs: 'Save as a new view',
  newView: 'New view',
  edit: 'Edit view',
  duplicate: 'Duplicate',
  remove: 'Delete view',
  wasRemoved: (name: string) => `The view ${name} was deleted`,
  removed: (name: string) => `Delete the view ${name}`,
  copyOf: (name: string) => `${name} (copy)`,
  name: 'Name',
  type: 'Type',
  types: { grid: 'Grid', board: 'Board', calendar: 'Calendar', gallery: 'Gallery', map: 'Map', form: 'Form' },
  scope: 'Visible to',
  isDefault: 'Opens first for everyone',
  create: 'Create view',
  done: 'Save',
  cancel: 'Cancel',
  nameMissing: 'Give the view a name.',
  notYours: 'You can look at this view and save a copy of it, but not change it.',
  gone: 'This view is not here',
  goneDetail: 'It was deleted, or it belongs to another person.',
})
