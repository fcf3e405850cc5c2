// Imports a module from a file; the main script of an executable can import built-in modules only.

'use strict';

module.exports = (address) => import(address);
