function refuse() {
  throw new Error('The tests open the database with the Node SDK.')
}

export const open = refuse
export const getDylibPath = refuse
export const ANDROID_DATABASE_PATH = ''
export const IOS_LIBRARY_PATH = ''
