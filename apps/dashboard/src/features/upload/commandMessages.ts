import { catalogue } from '../../i18n/index.ts';

/** The words of the palette's commands: they are in the first load, and so apart from the page's. */
export const commands = catalogue({ files: 'Upload files…', folder: 'Upload a folder…' }, { files: '上传文件…', folder: '上传文件夹…' });
