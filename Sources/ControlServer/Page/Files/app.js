document.body.textContent = "lightd";
