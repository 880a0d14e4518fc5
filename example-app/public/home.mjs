/* global document, location */

// Shows the command with the address that this browser uses.
const call = document.getElementById('call');
call.textContent = call.textContent.replace('http://localhost:3000', location.origin);
